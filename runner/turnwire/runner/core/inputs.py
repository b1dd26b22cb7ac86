"""What comes into the core: what the host and the program want, and what came of the jobs.

Owns the shapes of all inputs. A *command* says what is wanted; a *finding* says what came of one job, whose
key is its ``job``. None carries a time: whoever takes an input from the inbox says when that was.
"""

from __future__ import annotations

import enum

import msgspec

from turnwire.protocol.commands import Command as HostCommand
from turnwire.protocol.content import Image, Text
from turnwire.protocol.events import Budget, Completion, RefusalCode, ToolListing
from turnwire.protocol.faults import WireError
from turnwire.protocol.people import Action, ClosedBy, Scope
from turnwire.protocol.rows import DeniedBy
from turnwire.runner.core.jobs import CATCH_UP_KEY, review_key
from turnwire.runner.core.ports import ModelOutcome, ToolEnd

__all__ = [
    "Answered",
    "ChannelEnded",
    "Cleared",
    "Command",
    "CompletionVerdict",
    "DeadlinePassed",
    "DeltasDropped",
    "Denied",
    "Failed",
    "Finding",
    "HostGone",
    "HostLineRead",
    "HostLineRefused",
    "HostLinesOverrun",
    "Input",
    "Loaded",
    "ModelEnded",
    "PutToPerson",
    "ReaderCaughtUp",
    "Rejected",
    "Remarked",
    "Signal",
    "Signalled",
    "ToolEnded",
    "Waited",
]


# --- commands ---------------------------------------------------------------------------------------------


class Loaded(msgspec.Struct, frozen=True):
    """All is loaded; the fields are those of ``ready``. ``prompt`` starts the first turn, without it a chat
    asks for one.
    """

    prompt: str | None
    model: str
    tools: tuple[ToolListing, ...]
    guardrails: tuple[str, ...] = ()
    completion: Completion | None = None
    budget: Budget = Budget()


class Failed(msgspec.Struct, frozen=True):
    """The run cannot start, or cannot go on: it ends with this error."""

    error: WireError


class HostLineRead(msgspec.Struct, frozen=True):
    """Host line number ``line`` (from 1) was a command."""

    line: int
    command: HostCommand


class HostLineRefused(msgspec.Struct, frozen=True):
    """Host line ``line`` was no command."""

    line: int
    code: RefusalCode
    message: str
    id: str | None = None


class HostLinesOverrun(msgspec.Struct, frozen=True):
    """Host lines ``first`` to ``last`` were refused, and the host does not read its refusals."""

    first: int
    last: int


class ChannelEnded(msgspec.Struct, frozen=True):
    """The answers descriptor came to its end: nobody will ever answer again."""

    reason: str


class Signal(enum.StrEnum):
    """The signals that stop a child."""

    INTERRUPT = "SIGINT"
    """Stops the turn; between turns, and in a one-prompt run, the run."""
    TERMINATE = "SIGTERM"
    """Ends the run in order."""
    HANGUP = "SIGHUP"
    """Ends the run in order."""


class Signalled(msgspec.Struct, frozen=True):
    """A signal came."""

    signal: Signal


class HostGone(msgspec.Struct, frozen=True):
    """The reader of stdout hung up or stalled."""

    reason: str


class DeltasDropped(msgspec.Struct, frozen=True):
    """``count`` deltas were not told, because the reader was slow."""

    count: int


class Remarked(msgspec.Struct, frozen=True):
    """A worker or a loader has a warning for people."""

    code: str
    message: str


# --- findings ---------------------------------------------------------------------------------------------


class ModelEnded(msgspec.Struct, frozen=True):
    """What came of the model request of round row ``row``."""

    row: str
    outcome: ModelOutcome

    @property
    def job(self) -> str:
        """The key of the job."""
        return self.row


class Waited(msgspec.Struct, frozen=True):
    """The wait of job ``job`` is over: the next try may start."""

    job: str


class _Verdict(msgspec.Struct, frozen=True):
    """What came of the review of ``call``."""

    call: str

    @property
    def job(self) -> str:
        """The key of the job."""
        return review_key(self.call)


class Cleared(_Verdict, frozen=True):
    """Call ``call`` may run."""


class Rejected(_Verdict, frozen=True):
    """Call ``call`` cannot run: an unknown tool or wrong arguments. ``text`` is for the model."""

    code: str
    text: str


class Denied(_Verdict, frozen=True):
    """Call ``call`` is not permitted. ``text`` is for the model."""

    by: DeniedBy
    text: str


class PutToPerson(_Verdict, frozen=True):
    """Call ``call`` is to be put to a person: the sentence and the lines of the card, made safe to show, and
    the ids of what it reaches.
    """

    message: str
    lines: tuple[str, ...]
    reach: tuple[str, ...]


class Answered(msgspec.Struct, frozen=True):
    """Request ``request`` was closed by a connector rather than by a host line."""

    request: str
    by: ClosedBy
    action: Action | None = None
    scope: Scope | None = None
    reason: str | None = None

    @property
    def job(self) -> str:
        """The key of the job."""
        return self.request


class ToolEnded(msgspec.Struct, frozen=True):
    """What came of running ``call``: bounded content, valid for the wire, and the figures of its row."""

    call: str
    content: tuple[Text | Image, ...]
    is_error: bool
    end: ToolEnd
    chars: int
    truncated: bool
    preview: str
    spill: str | None = None

    @property
    def job(self) -> str:
        """The key of the job."""
        return self.call


class CompletionVerdict(msgspec.Struct, frozen=True):
    """What the completion gate found on its row ``row``: bounded words, valid for the wire, and how the look
    came to its end.
    """

    row: str
    passed: bool
    reason: str
    end: ToolEnd
    chars: int
    truncated: bool
    preview: str
    spill: str | None = None

    @property
    def job(self) -> str:
        """The key of the job."""
        return self.row


class DeadlinePassed(msgspec.Struct, frozen=True):
    """The time that job ``job`` watched is used up."""

    job: str


class ReaderCaughtUp(msgspec.Struct, frozen=True):
    """The reader of stdout has all that was told so far, or is gone."""

    @property
    def job(self) -> str:
        """The key of the job."""
        return CATCH_UP_KEY


Finding = (
    ModelEnded
    | Waited
    | Cleared
    | Rejected
    | Denied
    | PutToPerson
    | Answered
    | ToolEnded
    | CompletionVerdict
    | DeadlinePassed
    | ReaderCaughtUp
)
"""What may come of a job."""

Command = (
    Loaded
    | Failed
    | HostLineRead
    | HostLineRefused
    | HostLinesOverrun
    | ChannelEnded
    | Signalled
    | HostGone
    | DeltasDropped
    | Remarked
)
"""What the host and the program want or have seen."""

Input = Command | Finding
"""Anything that the core may be told."""
