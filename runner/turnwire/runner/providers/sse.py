"""Server-sent events, sans IO: bytes in whatever pieces they arrive, the data of whole events out.

Follows "Parsing an event stream" of the HTML standard as far as model providers use it: lines end
with LF, CRLF or CR and with nothing else; comments, ``event``, ``id`` and ``retry`` are passed over
(each provider says the type in its data too). Data stays bytes, so that a character may be cut
anywhere. Knows neither JSON nor HTTP.
"""

from __future__ import annotations

__all__ = ["LONGEST_EVENT_BYTES", "EventStream", "EventTooLong"]

LONGEST_EVENT_BYTES = 16 * 1024 * 1024
"""One event is one token, or at most one whole reply in one piece."""

_BOM = b"\xef\xbb\xbf"


class EventTooLong(Exception):
    """An event grew beyond the limit without coming to its end."""


class EventStream:
    """One response. ``feed`` may be called with pieces of any size; what was given out is not kept."""

    def __init__(self, limit: int = LONGEST_EVENT_BYTES) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._at_start = True
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes and give the data of each event that they complete, in order.

        Several data lines of one event are joined with LF. EventTooLong: an unfinished event passes
        the limit.
        """
        if self._after_cr or b"\r" in chunk:
            chunk = self._with_lf(chunk)
        if self._at_start:
            chunk = self._without_bom(chunk)
        whole = self._join(chunk) if self._rest else self._cut(chunk)
        if len(self._rest) > self._limit:
            raise EventTooLong(f"an event of more than {self._limit:,} bytes")
        return _events(whole) if whole else []

    def close(self) -> bytes | None:
        """Take the end of the stream and give the data of an event that lacked its blank line, if
        any.

        The standard drops such an event; it may be used if, and only if, its data is complete in
        itself.
        """
        rest, self._rest = bytes(self._rest), bytearray()
        return _data(rest.removesuffix(b"\n")) if rest else None

    def _cut(self, chunk: bytes) -> bytes:
        end = chunk.rfind(b"\n\n") + 2
        if end < 2:
            self._rest += chunk
            return b""
        self._rest += chunk[end:]
        return chunk[:end]

    def _join(self, chunk: bytes) -> bytes:
        """As :meth:`_cut`, behind bytes that wait; those are not searched again."""
        seen = len(self._rest) - 1
        self._rest += chunk
        end = self._rest.rfind(b"\n\n", seen) + 2
        if end < 2:
            return b""
        whole = bytes(self._rest[:end])
        del self._rest[:end]
        return whole

    def _with_lf(self, chunk: bytes) -> bytes:
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        self._after_cr = self._after_cr or chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _without_bom(self, chunk: bytes) -> bytes:
        """Drop a byte order mark; while the first bytes could still become one, they wait in
        ``_rest``.
        """
        start = bytes(self._rest) + chunk
        self._rest = bytearray()
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._rest += start
            return b""
        self._at_start = False
        return start.removeprefix(_BOM)


def _events(whole: bytes) -> list[bytes]:
    """Take apart ``whole``, which ends with a blank line."""
    if whole.startswith(b"data: "):
        simple = whole[6:-2].split(b"\n\ndata: ")
        # Nearly every stream: one line of data and one blank line, again and again.
        if whole.count(b"\n") == 2 * len(simple) and b"" not in simple:
            return simple
    found = (_data(block) for block in whole.split(b"\n\n"))
    return [data for data in found if data is not None]


def _data(block: bytes) -> bytes | None:
    """Join the data lines of one event; an event without data is none."""
    lines = [
        line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")
    ]
    return b"\n".join(lines) or None
