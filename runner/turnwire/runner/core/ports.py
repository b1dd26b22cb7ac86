"""The seams where the other rooms meet: what a model, a tool, a person and a live job look like.

Owns the shapes alone. Rooms beside one another never import one another; ``wiring`` hands each of them
what it needs in these terms.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from turnwire.protocol.content import Image, Reasoning, Text
from turnwire.protocol.faults import WireError
from turnwire.protocol.messages import TranscriptMessage
from turnwire.protocol.rows import Port
from turnwire.protocol.usage import NOTHING_REPORTED, Usage

__all__ = [
    "Entitlement",
    "Finish",
    "LivePort",
    "Model",
    "ModelFault",
    "ModelOutcome",
    "ModelReply",
    "ModelRequest",
    "ProposedCall",
    "Tool",
    "ToolCallError",
    "ToolContext",
    "ToolEnd",
    "ToolOutcome",
    "ToolSchema",
]


class Entitlement(msgspec.Struct, frozen=True):
    """What a tool reaches beyond inference: an ``id`` such as ``filesystem:write`` (spec/approval.md), why,
    whether only sometimes, and which resources (globs; none is any).
    """

    id: str
    reason: str | None = None
    optional: bool = False
    resources: tuple[str, ...] = ()


class ToolSchema(msgspec.Struct, frozen=True):
    """What a model is told of a tool. ``input_schema`` is a JSON Schema of an object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


class LivePort(Protocol):
    """Where a running job says what is happening, as long as it is wanted.

    Words of a job that is no longer pending are dropped. Cheap enough to call for every token.
    """

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        """Tell a live piece of the job's row."""
        ...

    def notice(self, code: str, message: str) -> None:
        """Tell a person something worth knowing (a warning); ``code`` is stable."""
        ...


# --- models -----------------------------------------------------------------------------------------------


class Finish(enum.StrEnum):
    """Why the provider says that a reply ended."""

    STOP = "stop"
    """The model was finished, or the label was one that says nothing: its complete calls run."""
    LENGTH = "length"
    """Cut at the output limit."""
    CONTENT_FILTER = "content_filter"
    """Cut by the provider's filter."""
    REFUSAL = "refusal"
    """The model refused."""


class ModelRequest(msgspec.Struct, frozen=True):
    """One model request: the transcript as it is to be replayed, and what the model may call.

    ``messages`` only ever grows at its end within a turn, and its elements are the same objects from request
    to request, so that an adapter may keep what it made of each of them.
    """

    messages: Sequence[TranscriptMessage]
    system: str | None
    tools: Sequence[ToolSchema]


class ProposedCall(msgspec.Struct, frozen=True):
    """A finished call in a reply. ``arguments`` is the child's compact encoding of a JSON object; with
    ``invalid`` set it is ``{}`` and the words say what was wrong with what the model wrote.
    """

    name: str
    arguments: bytes
    invalid: str | None = None
    provider_call_id: str | None = None
    provider: str | None = None
    opaque: bytes | None = None


class ModelReply(msgspec.Struct, frozen=True):
    """A whole reply, in the order in which the model said it. ``note`` is a warning to pass on, if any."""

    content: tuple[Text | Reasoning | ProposedCall, ...]
    finish: Finish
    usage: Usage = NOTHING_REPORTED
    note: str | None = None


class ModelFault(msgspec.Struct, frozen=True):
    """A request that gave no whole reply.

    ``wait_seconds`` is how long the provider wants us to wait before the next try, if it said so. ``usage`` is
    what the thrown-away try cost. ``partial`` is the text that had arrived when a request was stopped.
    """

    error: WireError
    wait_seconds: float | None = None
    usage: Usage = NOTHING_REPORTED
    partial: str = ""


ModelOutcome = ModelReply | ModelFault
"""What comes of one model request."""


class Model(Protocol):
    """A model behind a provider. One instance serves one conversation.

    ``reply`` makes exactly one request and never raises for an outside failure: it returns a fault. It is
    cancelled when the request is no longer wanted; before cancellation passes through it, it calls
    ``stopped`` with a :class:`ModelFault` that carries the text so far.
    """

    @property
    def name(self) -> str:
        """The model's name as the person wrote it, such as ``openai:gpt-5``."""
        ...

    async def reply(
        self, request: ModelRequest, port: LivePort, stopped: Callable[[ModelFault], None]
    ) -> ModelOutcome:
        """Make one request."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and processes. Called once, always."""
        ...


# --- tools ------------------------------------------------------------------------------------------------


class ToolEnd(enum.StrEnum):
    """How a started call came to its end."""

    DONE = "done"
    """It returned, or failed with words for the model."""
    CANCELLED = "cancelled"
    """It was stopped and nothing of it goes on."""
    LEFT_BEHIND = "left_behind"
    """It could not be stopped; its effect is unknown."""


class ToolOutcome(msgspec.Struct, frozen=True):
    """What a tool gives back. ``content`` is text (possibly empty and of any length) or blocks; it is bounded
    and made valid for the wire by the room that runs tools, not by the tool.

    A tool that could not keep all of its text says how many characters there were (``chars``), and where the
    whole lies (``spill``); ``content`` then tells of the gap itself.
    """

    content: str | tuple[Text | Image, ...]
    is_error: bool = False
    end: ToolEnd = ToolEnd.DONE
    chars: int | None = None
    spill: str | None = None


class ToolCallError(Exception):
    """Raised by a tool to give the model its words exactly, marked as an error, without any prefix."""


def _never() -> bool:
    return False


class ToolContext(msgspec.Struct, frozen=True):
    """What a running call may know and do.

    ``call`` is the call's id, ``turn`` the turn's, ``cwd`` the folder of the run. ``output`` tells a live piece
    of what the call prints, ``progress`` how far it is, in words. ``deadline_seconds`` is what is left of the
    turn's time, if it is limited. ``stopped`` is called with an outcome before cancellation passes through,
    where a tool has something to say of its end. ``cancelled`` tells a function in a worker thread, which no
    cancellation reaches, that its result is no longer wanted.
    """

    call: str
    turn: str
    cwd: str
    output: Callable[[str], None]
    progress: Callable[[str], None]
    stopped: Callable[[ToolOutcome], None]
    deadline_seconds: float | None = None
    cancelled: Callable[[], bool] = _never


class Tool(Protocol):
    """One tool. ``run`` gets arguments that fit ``schema.input_schema``; it may raise
    :class:`ToolCallError`, and whatever else it raises is told to the model as a failure of the tool.
    """

    @property
    def schema(self) -> ToolSchema:
        """What the model is told."""
        ...

    @property
    def source(self) -> str:
        """Where it comes from: ``builtin``, ``py:module:function``, ``host:FILE`` …"""
        ...

    @property
    def reach(self) -> tuple[Entitlement, ...]:
        """What it reaches beyond inference."""
        ...

    @property
    def requires_approval(self) -> bool | None:
        """True: always ask. False: only host code may say so. None: reach decides."""
        ...

    def run(self, arguments: dict[str, Any], context: ToolContext) -> Awaitable[ToolOutcome]:
        """Run one call to its end."""
        ...
