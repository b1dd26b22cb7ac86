"""The journal: every event goes into the log first, then to the host, in one order.

Owns the encoding of lines and what happens when the log fails. Knows the log and the host's stream only by
what it does with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from turnwire.protocol.base import UNSET
from turnwire.protocol.codec import encode_event
from turnwire.protocol.events import Delta, Settled
from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.protocol.framing import encode_line
from turnwire.protocol.rows import Port
from turnwire.runner.core.inputs import DeltasDropped, Failed, Input

__all__ = ["EventJournal", "Log", "Sink"]

_LONGEST_ESCAPE = 6
"""Bytes that one UTF-16 unit takes as an escape, or fewer."""
_DELTA_FRAME_BYTES = 256
"""Room for a delta's other fields."""


class Log(Protocol):
    """Where settled lines are kept."""

    @property
    def size(self) -> int:
        """Bytes so far."""
        ...

    def append(self, lines: bytes) -> None:
        """Write whole lines; OSError where that cannot be done."""
        ...


class Sink(Protocol):
    """Where lines are told."""

    def settled(self, line: bytes, seq: int, log_end: int | None) -> None:
        """Tell a settled line; ``log_end`` is where it ends in the log."""
        ...

    def delta(self, line: bytes) -> None:
        """Tell a delta."""
        ...

    def flush(self) -> None:
        """Write what can be written without waiting."""
        ...

    def take_dropped(self) -> int:
        """Give the number of deltas that were dropped since the last call."""
        ...


class EventJournal:
    """Logs and tells the events of one run."""

    def __init__(
        self,
        sink: Sink,
        log: Log | None,
        *,
        line_bytes: int,
        deltas: bool,
        soon: Callable[[Callable[[], None]], object],
    ) -> None:
        """``line_bytes`` is the longest line (0: any), ``deltas`` says whether live pieces are told. ``soon``
        calls something when the worker that speaks now has nothing more to say, so that the many deltas of
        one packet are written at once.
        """
        self._soon = soon
        self._flush_is_due = False
        self._sink = sink
        self._log = log
        self._deltas = deltas
        self._piece = (line_bytes - _DELTA_FRAME_BYTES) // _LONGEST_ESCAPE if line_bytes else 0

    def record(self, events: list[Settled]) -> Input | None:
        """Log and tell ``events``; give the input that follows from how that went, if any."""
        if not events:
            return None
        lines = [encode_line(encode_event(event)) for event in events]
        failure = self._append(lines)
        end = None if self._log is None else self._log.size - sum(map(len, lines))
        for event, line in zip(events, lines, strict=True):
            end = None if end is None else end + len(line)
            self._sink.settled(line, event.seq, end)
        self._sink.flush()
        return failure or self._dropped()

    def told(self, row: str, port: Port, text: str, call_index: int | None = None) -> None:
        """Tell a live piece of ``row``."""
        if self._deltas:
            index = UNSET if call_index is None else call_index
            for piece in self._pieces(text):
                delta = Delta(row=row, port=port, text=piece, call_index=index)
                self._sink.delta(encode_line(encode_event(delta)))
            if not self._flush_is_due:
                self._flush_is_due = True
                self._soon(self._flush)

    def _flush(self) -> None:
        self._flush_is_due = False
        self._sink.flush()

    def _append(self, lines: list[bytes]) -> Input | None:
        if self._log is None:
            return None
        try:
            self._log.append(b"".join(lines))
        except OSError as error:
            self._log = None
            message = f"The session could not be written: {error.strerror or error}."
            code = ErrorCode.SESSION_UNWRITABLE
            return Failed(error=WireError(code=code, message=message, fault=Blame.HOST))
        return None

    def _dropped(self) -> Input | None:
        count = self._sink.take_dropped()
        return DeltasDropped(count=count) if count else None

    def _pieces(self, text: str) -> Iterable[str]:
        """Cut a delta so that its line fits, however much its characters grow when they are escaped."""
        if not self._piece or len(text) <= self._piece:
            return (text,)
        return (text[at : at + self._piece] for at in range(0, len(text), self._piece))
