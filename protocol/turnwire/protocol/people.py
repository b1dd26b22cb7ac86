"""A person is asked, and the question is closed: the requests and what closed them."""

from __future__ import annotations

import enum
from typing import Any

from turnwire.protocol.base import UNSET, SettledEvent, UnsetType, Word

__all__ = [
    "CHAT_MESSAGE_FORMAT",
    "Action",
    "ClosedBy",
    "HumanClosed",
    "HumanRequest",
    "Mode",
    "OnDeadline",
    "RequestKind",
    "RequestMetadata",
    "Scope",
]

CHAT_MESSAGE_FORMAT = "chat-message"
"""``format`` of the string property ``message`` in the question for the next chat message."""


class RequestKind(enum.StrEnum):
    """What is wanted of a person."""

    NOTIFY = "notify"
    """Take note; nothing is awaited."""
    DISPLAY = "display"
    """Look at ``data``; nothing is awaited."""
    ELICIT = "elicit"
    """Fill in ``schema``."""
    CONFIRM = "confirm"
    """May this call run?"""


class Mode(enum.StrEnum):
    """How often a request is answered."""

    SINGLE = "single"
    """Once."""
    MULTI_TURN = "multi_turn"
    """Until an answer does not say ``done: false``."""


class Action(enum.StrEnum):
    """What a person did."""

    ACCEPT = "accept"
    """Yes, or: here is the content."""
    DECLINE = "decline"
    """No."""
    CANCEL = "cancel"
    """Dismissed without a choice; a call is refused all the same."""


class Scope(enum.StrEnum):
    """How far an acceptance reaches."""

    ONCE = "once"
    """This call alone."""
    SESSION = "session"
    """This tool with exactly these arguments, for the rest of the session."""


class OnDeadline(enum.StrEnum):
    """What happens when nobody answers in time."""

    REFUSE = "refuse"
    """The request is closed and nothing runs."""


class ClosedBy(enum.StrEnum):
    """Who closed a request."""

    HUMAN = "human"
    """An answer line."""
    POLICY = "policy"
    """A rule or a grant that came after the question."""
    DEADLINE = "deadline"
    """Nobody answered in time."""
    NO_ANSWERER = "no_answerer"
    """There is no answers descriptor."""
    CHANNEL_LOST = "channel_lost"
    """The answers descriptor ended."""
    INTERRUPTED = "interrupted"
    """The turn was stopped."""
    RUN_ENDED = "run_ended"
    """The run ended."""


class RequestMetadata(Word, frozen=True, kw_only=True):
    """The call that a request is about."""

    tool_use_id: str
    tool_name: str
    arguments_sha256: str


class HumanRequest(SettledEvent, frozen=True, kw_only=True, tag="human_request"):
    """A person is asked. With ``expects_response`` false it is never open and never closed.

    ``message`` is one sentence made safe to show. ``schema`` is a JSON Schema for an elicit. ``data`` is what
    a surface may show: for a confirm ``{"reach": [...], "lines": [...]}``, bounded and made safe to show.
    ``deadline`` is milliseconds since the epoch, ``seconds`` what is left of it, both null without one.
    ``actions`` and ``scopes`` list what an answer may say; ``editable`` lets it replace the arguments.
    """

    id: str
    step: int
    kind: str
    message: str
    expects_response: bool
    row: str | None = None
    schema: dict[str, Any] | None = None
    data: Any = None
    mode: Mode = Mode.SINGLE
    actions: tuple[Action, ...] = ()
    scopes: tuple[Scope, ...] = ()
    editable: bool = False
    deadline: int | None = None
    seconds: float | None = None
    on_deadline: OnDeadline | None = None
    metadata: RequestMetadata | None = None


class HumanClosed(SettledEvent, frozen=True, kw_only=True, tag="human_closed"):
    """Request ``id`` is closed, once in a session's life. ``action`` is null where nobody acted.
    ``arguments_sha256`` is the new digest where an answer edited the arguments.
    """

    id: str
    action: Action | None
    by: ClosedBy
    scope: Scope | None = None
    reason: str | None = None
    arguments_sha256: str | UnsetType = UNSET
