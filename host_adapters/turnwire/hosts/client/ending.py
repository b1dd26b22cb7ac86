"""How a child ended and what it did wrong, in types: the client never raises for what a child
does.

Owns the names of every way in which a child can break the protocol, and the two errors of a host
that wants to write where nobody reads.
"""

from __future__ import annotations

import enum

import msgspec

from turnwire.protocol.endings import Status
from turnwire.protocol.events import End

__all__ = ["AnswersClosed", "ChildGone", "Ending", "Fault", "FaultCode", "Faults"]


class ChildGone(Exception):
    """The child takes no more lines: it has ended, or closed its side of the answers descriptor."""


class AnswersClosed(Exception):
    """There is no answers descriptor: the host asked for none, or has closed it."""


class FaultCode(enum.StrEnum):
    """How a child broke the protocol. None of these ends the reading of what else it says."""

    NOT_AN_EVENT = "not_an_event"
    """A line that is no JSON object with a type, or a known event with a wrong field."""
    TOO_LONG = "too_long"
    """A line longer than ``Bounds.line_bytes``, skipped unread."""
    BROKEN_PARTS = "broken_parts"
    """Parts that do not make an event, or one longer than ``Bounds.event_bytes``."""
    CUT_OFF = "cut_off"
    """The stream ended inside a line or an event."""
    AFTER_END = "after_end"
    """Something stood after the ``end`` line; it is passed over."""
    NO_END = "no_end"
    """The stream ended without an ``end`` line."""
    OTHER_EXIT = "other_exit"
    """The process left with another code than its ``end`` line said."""
    SILENT = "silent"
    """Nothing came for ``Bounds.silence_seconds``; the child was stopped."""
    LINGERED = "lingered"
    """The process outlived its ``end`` line or its stdout; it was stopped."""
    HELD_OPEN = "held_open"
    """Something that the process left behind held its stdout open; it was no longer read."""
    KILLED = "killed"
    """The process did not end when asked to and was killed."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault of a child: ``line`` counts from 1; ``sample`` is the beginning of what stood
    there.
    """

    code: FaultCode
    message: str
    line: int | None = None
    sample: bytes = b""


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a child ended.

    ``status`` is that of the ``end`` line, ``error`` where none came. ``exit_code`` is the
    process's own as a shell would give it: 128 + n after signal n. ``faults`` are the first ones,
    ``fault_count`` all of them. ``undelivered`` counts host lines that the child never read from
    the pipe's beginning. ``stderr`` is the end of what it wrote for people.
    """

    status: Status
    exit_code: int
    end: End | None
    faults: tuple[Fault, ...]
    fault_count: int
    undelivered: int
    stderr: str


class Faults:
    """The first ``limit`` faults of a child, and how many there were."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.count = 0
        self.kept: list[Fault] = []

    def add(
        self, code: FaultCode, message: str, *, line: int | None = None, sample: bytes = b""
    ) -> None:
        """Take note of one more."""
        self.count += 1
        if len(self.kept) < self._limit:
            self.kept.append(Fault(code=code, message=message, line=line, sample=sample[:200]))
