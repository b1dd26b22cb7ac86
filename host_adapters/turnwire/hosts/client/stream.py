"""Bytes of a child's stdout to typed events: the border where whatever a child says becomes words
or faults.

Owns the reading of lines, parts and types. Does no IO and never raises for what a child wrote.
"""

from __future__ import annotations

from typing import NamedTuple

from turnwire.hosts.client.ending import FaultCode, Faults
from turnwire.hosts.client.options import Bounds
from turnwire.protocol.codec import Unknown, WrongWord, decode_event
from turnwire.protocol.events import End, Event, Part
from turnwire.protocol.framing import FramingError, Line, LineReader, PartJoiner, TooLong

__all__ = ["EventReader", "Told"]


class Told(NamedTuple):
    """An event and the bytes that it took on the wire."""

    event: Event | Unknown
    size: int


class EventReader:
    """Gathers events from the bytes of one child and notes what is wrong with them in ``faults``.

    ``end`` is the ``end`` event once it came; nothing is taken after it.
    """

    def __init__(self, bounds: Bounds, faults: Faults) -> None:
        self._lines = LineReader(limit=bounds.line_bytes)
        self._parts = PartJoiner(limit=bounds.event_bytes)
        self._faults = faults
        self.end: End | None = None

    def feed(self, chunk: bytes) -> list[Told]:
        """Take the next bytes and give the events that they complete."""
        events = (self._event(line) for line in self._lines.feed(chunk))
        return [told for told in events if told is not None]

    def finish(self) -> list[Told]:
        """No more bytes: give an event whose line lacks its LF, and note what is missing."""
        rest = self._lines.end()
        told = None if rest is None else self._event(rest, cut=True)
        try:
            self._parts.settle()
        except FramingError as wrong:
            self._faults.add(FaultCode.CUT_OFF, str(wrong))
        if self.end is None:
            self._faults.add(FaultCode.NO_END, "the stream ended without an end line")
        return [] if told is None else [told]

    def _event(self, line: Line | TooLong, *, cut: bool = False) -> Told | None:
        if isinstance(line, TooLong):
            message = f"a line of {line.length:,} bytes was skipped"
            self._faults.add(FaultCode.TOO_LONG, message, line=line.number)
            return None
        if self.end is not None:
            self._fault(FaultCode.AFTER_END, "something stands after the end line", line)
            return None
        try:
            return self._told(line.data)
        except WrongWord as wrong:
            self._fault(FaultCode.CUT_OFF if cut else FaultCode.NOT_AN_EVENT, str(wrong), line)
        except FramingError as wrong:
            self._fault(FaultCode.BROKEN_PARTS, str(wrong), line)
        return None

    def _told(self, data: bytes) -> Told | None:
        event = decode_event(data)
        if not isinstance(event, Part) or event.index == 0:
            self._settle_parts()
        if isinstance(event, Part):
            whole = self._parts.feed(event)
            if whole is None:
                return None
            data, event = whole, decode_event(whole)
            if isinstance(event, Part):
                raise FramingError("parts that make a part")
        if isinstance(event, End):
            self.end = event
        return Told(event, len(data))

    def _settle_parts(self) -> None:
        """An event that breaks off does not take the next one with it."""
        try:
            self._parts.settle()
        except FramingError as wrong:
            self._faults.add(FaultCode.BROKEN_PARTS, str(wrong))

    def _fault(self, code: FaultCode, message: str, line: Line) -> None:
        self._faults.add(code, message, line=line.number, sample=line.data)
