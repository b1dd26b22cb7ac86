"""Every event that the child tells, as one tagged union.

Owns what has no room of its own; the opening, rows and people have theirs.
"""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from turnwire.protocol.base import UNSET, SettledEvent, UnsetType, Word
from turnwire.protocol.endings import Status, StoppedBy
from turnwire.protocol.faults import WireError
from turnwire.protocol.messages import TranscriptMessage
from turnwire.protocol.opening import (
    Answers,
    Approval,
    Budget,
    Completion,
    Hello,
    Limits,
    OnUnanswered,
    Ready,
    Runner,
    ToolListing,
)
from turnwire.protocol.people import HumanClosed, HumanRequest
from turnwire.protocol.rows import Port, Row
from turnwire.protocol.usage import Usage

__all__ = [
    "Accepted",
    "Answers",
    "Approval",
    "Budget",
    "Completion",
    "Delta",
    "End",
    "Event",
    "Hello",
    "HumanClosed",
    "HumanRequest",
    "Level",
    "Limits",
    "Message",
    "Notice",
    "OnUnanswered",
    "Part",
    "Ready",
    "RefusalCode",
    "Refused",
    "Rewound",
    "Row",
    "Runner",
    "Settled",
    "ToolClosed",
    "ToolClosedBy",
    "ToolListing",
    "ToolRequest",
    "TurnEnd",
]


class Delta(Word, frozen=True, kw_only=True, tag_field="type", tag="delta"):
    """A live piece of a row; nothing is lost by ignoring it. ``call_index`` counts the calls of a reply from
    0 and goes with port ``arguments``.
    """

    row: str
    port: Port
    text: str
    call_index: int | UnsetType = UNSET


class Part(Word, frozen=True, kw_only=True, tag_field="type", tag="part"):
    """A piece of an event that is longer than a line may be: join ``data`` in the order of ``index``, parse
    the result as the event. ``part_of`` is the event's ``seq``.
    """

    part_of: int
    index: int
    last: bool
    data: str


class Message(SettledEvent, frozen=True, kw_only=True, tag="message"):
    """One message was appended to the transcript at ``index`` (from 0). ``row`` is the round or the call that
    it came from, null for the user's. ``partial``: its round was interrupted, only the text was kept.
    """

    index: int
    message: TranscriptMessage
    row: str | None = None
    partial: bool = False


class Rewound(SettledEvent, frozen=True, kw_only=True, tag="rewound"):
    """The transcript was cut back to its first ``messages`` messages."""

    messages: int


class ToolClosedBy(enum.StrEnum):
    """Why a host's tool is no longer waited for."""

    RESULT = "result"
    """Its result came."""
    DEADLINE = "deadline"
    """It took too long."""
    INTERRUPTED = "interrupted"
    """The turn was stopped."""
    CHANNEL_LOST = "channel_lost"
    """The answers descriptor ended."""


class ToolRequest(SettledEvent, frozen=True, kw_only=True, tag="tool_request"):
    """A tool that lives in the host is to run. ``id`` is the call's."""

    id: str
    name: str
    arguments: msgspec.Raw
    deadline: int | None = None
    seconds: float | None = None


class ToolClosed(SettledEvent, frozen=True, kw_only=True, tag="tool_closed"):
    """The host's tool ``id`` is no longer waited for."""

    id: str
    by: ToolClosedBy


class Accepted(SettledEvent, frozen=True, kw_only=True, tag="accepted"):
    """Host line ``line`` (counted from 1) was taken. ``id`` is the one that it named, or null."""

    line: int
    id: str | None = None


class RefusalCode(enum.StrEnum):
    """Why a host line was refused. A refused line changes nothing."""

    MALFORMED = "malformed"
    """Not a JSON object of the documented form."""
    TOO_LONG = "too_long"
    """Longer than ``limits.answer_bytes``."""
    UNKNOWN_TYPE = "unknown_type"
    """A ``type`` that this protocol version does not know."""
    UNKNOWN_ID = "unknown_id"
    """No request or call of that id was ever made."""
    ALREADY_CLOSED = "already_closed"
    """The request or call was closed before."""
    WRONG_KIND = "wrong_kind"
    """The id is of something else, or the action does not fit the request."""
    DIGEST_MISMATCH = "digest_mismatch"
    """``arguments_sha256`` is not the one that was shown."""
    INVALID_CONTENT = "invalid_content"
    """``content`` or ``arguments`` do not fit what was asked."""
    NO_TURN = "no_turn"
    """No turn, or another one, is in progress."""
    TURN_IN_PROGRESS = "turn_in_progress"
    """Only between turns."""
    UNKNOWN_TURN = "unknown_turn"
    """No turn of that id is in the transcript."""
    ENDING = "ending"
    """The run is ending."""
    OVERRUN = "overrun"
    """The host does not read its refusals: one covers a range of lines."""


class Refused(SettledEvent, frozen=True, kw_only=True, tag="refused"):
    """Host line ``line``, or each of ``lines`` (first and last), was refused and changed nothing. ``code`` is a
    :class:`RefusalCode`; hosts take unknown ones as they come.
    """

    code: str
    message: str
    line: int | UnsetType = UNSET
    lines: tuple[int, int] | UnsetType = UNSET
    id: str | None = None


class Level(enum.StrEnum):
    """How much a notice matters."""

    INFO = "info"
    """Good to know."""
    WARNING = "warning"
    """Something was worked around."""
    ERROR = "error"
    """Something is missing that was asked for; the run goes on."""


class Notice(SettledEvent, frozen=True, kw_only=True, tag="notice"):
    """Something that a person may want to know: ``code`` is stable, ``message`` one sentence."""

    level: Level
    code: str
    message: str
    data: Any = None


class TurnEnd(SettledEvent, frozen=True, kw_only=True, tag="turn_end"):
    """A turn is over; nothing with its id follows.

    ``text`` is all that the model said in it; ``output`` a validated final object or null; ``attempts`` of the
    completion gate; ``rounds`` model requests that came to an end; ``denials`` calls refused; ``untaken``
    steers that a limit kept out; ``messages`` the length of the transcript.
    """

    turn: str  # pyright: ignore[reportGeneralTypeIssues] - fields go by name; an end has its turn
    status: Status
    stopped_by: StoppedBy | None
    text: str
    output: Any
    attempts: int
    rounds: int
    usage: Usage
    denials: int
    untaken: tuple[str, ...]
    messages: int
    error: WireError | None = None


class End(SettledEvent, frozen=True, kw_only=True, tag="end"):
    """Always the last line. ``last_seq`` is its own ``seq``; ``open_requests`` the ids left open by a
    suspension.
    """

    status: Status
    stopped_by: StoppedBy | None
    exit_code: int
    turns: int
    usage: Usage
    denials: int
    open_requests: tuple[str, ...]
    last_seq: int
    session: str | None
    error: WireError | None = None


Settled = (
    Hello
    | Ready
    | Row
    | Message
    | Rewound
    | HumanRequest
    | HumanClosed
    | ToolRequest
    | ToolClosed
    | Accepted
    | Refused
    | Notice
    | TurnEnd
    | End
)
"""Events that are numbered and logged."""

Event = Settled | Delta | Part
"""Everything that the child may write."""
