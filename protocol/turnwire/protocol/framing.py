"""Bytes to lines and back, the same for both directions (spec/framing.md).

Owns line ends, the three line separators that must never stand raw, the size of a line, and parts.
Knows no JSON beyond what a string may hold, does no IO and imports nothing heavy: every byte of the
wire passes here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnwire.protocol.events import Part

__all__ = [
    "LEAST_LINE_BYTES",
    "FramingError",
    "Line",
    "LineReader",
    "PartJoiner",
    "TooLong",
    "encode_line",
    "escape_separators",
    "split_parts",
]

LEAST_LINE_BYTES = 4096
"""The smallest limit that a host may ask for; ``hello`` fits into it."""

_BOM = b"\xef\xbb\xbf"
_PART = b'{"type":"part","part_of":%d,"index":%d,"last":%s,"data":"'
_PART_END = b'"}\n'


class FramingError(Exception):
    """Parts that do not make an event: the child's fault, and its next whole line is good again."""


# --- writing --------------------------------------------------------------------------------------


def escape_separators(json: bytes) -> bytes:
    """Write U+2028, U+2029 and U+0085 as escapes; in valid JSON they only stand in strings."""
    if b"\xe2\x80" in json:
        json = json.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return json.replace(b"\xc2\x85", b"\\u0085") if b"\xc2" in json else json


def encode_line(payload: bytes) -> bytes:
    """Make one line, with its LF, of the JSON text ``payload``.

    A raw LF or CR in valid JSON is a blank between words (in JSON of others that is passed on as
    it came) and becomes a space, so that whatever comes in goes out as exactly one line.
    """
    if b"\n" in payload or b"\r" in payload:
        payload = payload.replace(b"\n", b" ").replace(b"\r", b" ")
    return (payload if payload.isascii() else escape_separators(payload)) + b"\n"


def split_parts(line: bytes, *, seq: int, limit: int) -> Iterator[bytes]:
    """Give ``line`` itself if it fits into ``limit`` bytes with its LF (0: no limit), else parts.

    ``line`` comes from :func:`encode_line` and is the event numbered ``seq``. No part is longer
    than ``limit`` or ends inside a character. ValueError: a limit below :data:`LEAST_LINE_BYTES`.
    """
    if limit and limit < LEAST_LINE_BYTES:
        raise ValueError(f"a line limit is 0 or at least {LEAST_LINE_BYTES} bytes, not {limit}")
    if not limit or len(line) <= limit:
        yield line
        return
    text = _inside_a_string(line.removesuffix(b"\n"))
    start, index, last = 0, 0, False
    while not last:
        room = limit - len(_PART_END) - len(_PART % (seq, index, b"false"))
        stop = _boundary(text, start, start + room)
        last = stop == len(text)
        head = _PART % (seq, index, b"true" if last else b"false")
        yield head + text[start:stop] + _PART_END
        start, index = stop, index + 1


def _inside_a_string(json: bytes) -> bytes:
    """Escape ``json`` for a JSON string; TAB is the one control character that it may hold."""
    return json.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\t", b"\\t")


def _boundary(text: bytes, start: int, stop: int) -> int:
    """Move ``stop`` back to where neither a UTF-8 character nor an escape is cut in two."""
    if stop >= len(text):
        return len(text)
    while text[stop] & 0xC0 == 0x80:
        stop -= 1
    piece = text[start:stop]
    backslashes = len(piece) - len(piece.rstrip(b"\\"))
    return stop - backslashes % 2


# --- reading --------------------------------------------------------------------------------------


class Line(NamedTuple):
    """A whole line without its end. ``number`` counts lines from 1, blank ones included."""

    number: int
    data: bytes


class TooLong(NamedTuple):
    """A line over the limit, of which only its ``length`` in bytes, without the LF, is known."""

    number: int
    length: int


class LineReader:
    """Gathers lines from bytes that arrive in any pieces, in linear time.

    CRLF and a BOM before the first line are tolerated; blank lines are passed over, but counted.
    A line that with its LF is longer than ``limit`` bytes (0: no limit) is skipped, not kept.
    """

    def __init__(self, *, limit: int = 0) -> None:
        self._limit = limit
        self._number = 0
        self._rest = bytearray()
        self._skipped = 0

    def feed(self, chunk: bytes) -> list[Line | TooLong]:
        """Take the next bytes and give the lines that they complete."""
        *ended, rest = chunk.split(b"\n")
        lines = [line for piece in ended if (line := self._complete(piece)) is not None]
        if rest:
            self._keep(rest)
        return lines

    def end(self) -> Line | TooLong | None:
        """No more bytes: give a last line that has no LF, if there is one. Call it once."""
        return self._complete(b"") if self._rest or self._skipped else None

    def _keep(self, piece: bytes) -> None:
        if not self._skipped and self._fits(len(self._rest) + len(piece)):
            self._rest += piece
            return
        self._skipped += len(self._rest) + len(piece)
        self._rest.clear()

    def _fits(self, length: int) -> bool:
        return length < self._limit or not self._limit

    def _complete(self, piece: bytes) -> Line | TooLong | None:
        self._number += 1
        if self._rest or self._skipped or not self._fits(len(piece)):
            self._keep(piece)
            if self._skipped:
                length, self._skipped = self._skipped, 0
                return TooLong(self._number, length)
            piece = bytes(self._rest)
            self._rest.clear()
        if self._number == 1:
            piece = piece.removeprefix(_BOM)
        piece = piece.removesuffix(b"\r")
        return None if not piece or piece.isspace() else Line(self._number, piece)


class PartJoiner:
    """Joins the parts of long events. Parts of one event stand together and in order.

    An event longer than ``limit`` bytes (0: no limit) is refused, so that a child gone wild cannot
    eat its host. After a :class:`FramingError` what is left of the event is a fault as well.
    """

    def __init__(self, *, limit: int = 0) -> None:
        self._limit = limit
        self._part_of: int | None = None
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, part: Part) -> bytes | None:
        """Take the next part; with the last one give the whole event's JSON text."""
        if part.index == 0:
            self.settle()
            self._part_of = part.part_of
        elif (part.part_of, part.index) != (self._part_of, len(self._pieces)):
            raise self._fault(f"part {part.index} of event {part.part_of} is out of place")
        self._pieces.append(part.data.encode())
        self._size += len(self._pieces[-1])
        if 0 < self._limit < self._size:
            raise self._fault(f"event {part.part_of} is longer than {self._limit} bytes")
        return self._whole() if part.last else None

    def settle(self) -> None:
        """Call it where anything but a part stands, and at the end: no event may be half there."""
        if self._part_of is not None:
            raise self._fault(f"event {self._part_of} stops after {len(self._pieces)} parts")

    def _whole(self) -> bytes:
        whole = b"".join(self._pieces)
        self._forget()
        return whole

    def _fault(self, message: str) -> FramingError:
        self._forget()
        return FramingError(message)

    def _forget(self) -> None:
        self._part_of, self._pieces, self._size = None, [], 0
