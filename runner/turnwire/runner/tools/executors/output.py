"""What a process prints: decoded, bounded in memory, kept on disk up to a bound, told as it comes.

Owns the four at once, in time that grows with the output alone. Knows neither pipes nor processes.
"""

from __future__ import annotations

import codecs
import os
import time
from collections import deque
from collections.abc import Callable

from turnwire.runner.tools.results import cut
from turnwire.runner.tools.spills import SPILL_BYTES, open_spill

__all__ = ["LIVE_SECONDS", "Output"]

LIVE_SECONDS = 0.05
"""Live pieces are told no more often than this: a person does not see more, and a host pays for
each.
"""

_LIVE_CHARS = 4_000
"""The most of one live piece; of more that came meanwhile its end is told."""

_BINARY_SHARE = 0.3
"""With more than this share of undecodable bytes, or with a NUL, output is called binary; text in
an old encoding stays below it.
"""


class Output:
    """Takes bytes; has the text. ``keep`` is how many characters the text may have.

    Longer output keeps its beginning and its end; the whole goes to a file of ``folder`` named
    after ``call``, up to :data:`SPILL_BYTES`. Bytes that are no UTF-8 become U+FFFD. ``tell`` is
    given live pieces, merged.
    """

    def __init__(
        self, keep: int, *, folder: str | None, call: str, tell: Callable[[str], None]
    ) -> None:
        self.chars = 0
        self._keep = keep
        self._head = ""
        self._tail = _Tail(keep)
        self._odd = 0
        self._nul = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._spill = _Spill(folder, call)
        self._live = _Live(tell)

    def take(self, data: bytes, *, last: bool = False) -> None:
        """Take the next bytes; with ``last`` a character that is cut off at the end is replaced."""
        text = self._decoder.decode(data, last)
        if not text:
            return
        self.chars += len(text)
        self._odd += text.count("\ufffd")
        self._nul = self._nul or "\0" in text
        if self.is_cut:
            self._spill.write(self._head if self._spill.unused else "", text)
        room = self._keep - len(self._head)
        self._head += text[:room] if room else ""
        self._tail.add(text)
        self._live.add(text)

    def close(self) -> None:
        """Nothing more comes. May be called again."""
        self.take(b"", last=True)
        self._live.flush()
        self._spill.close()

    @property
    def live_is_due(self) -> float | None:
        """Seconds until what was merged is to be told; None: nothing is waiting."""
        return self._live.due

    def tell_live(self) -> None:
        """Tell what was merged."""
        self._live.flush()

    @property
    def is_binary(self) -> bool:
        """Was this not meant as text?"""
        return self._nul or self._odd > self.chars * _BINARY_SHARE

    @property
    def is_lossy(self) -> bool:
        """Were there bytes that are no UTF-8?"""
        return bool(self._odd)

    @property
    def spill(self) -> str | None:
        """The file that holds the whole of a cut output."""
        return self._spill.path

    @property
    def is_cut(self) -> bool:
        """Is something left out of :meth:`text`?"""
        return self.chars > self._keep

    def text(self) -> str:
        """The output, or what is kept of it."""
        if not self.is_cut:
            return self._head
        kept = self.spill and f"{self._spill.share} in {self.spill}"
        return cut(self._head, self._tail.text(), self._keep, chars=self.chars, kept=kept)


class _Tail:
    """The last ``keep`` characters, and at most one piece more, of pieces of any size."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._pieces: deque[str] = deque()
        self._held = 0

    def add(self, text: str) -> None:
        self._pieces.append(text[-self._keep :])
        self._held += len(self._pieces[-1])
        while self._held - len(self._pieces[0]) >= self._keep:
            self._held -= len(self._pieces.popleft())

    def text(self) -> str:
        return "".join(self._pieces)[-self._keep :]


class _Spill:
    """The file of a long output, made when the output turns out to be long."""

    def __init__(self, folder: str | None, call: str) -> None:
        self.unused = True
        self.path: str | None = None
        self.share = "The whole is"
        self._folder = folder
        self._call = call
        self._room = SPILL_BYTES
        self._descriptor: int | None = None

    def write(self, *texts: str) -> None:
        if self.unused:
            self.unused = False
            opened = open_spill(self._folder, self._call)
            self.path, self._descriptor = opened or (None, None)
        if self._descriptor is None:
            return
        if not self._append(self._descriptor, "".join(texts).encode()):
            self.share = "The beginning is"
            self.close()

    def _append(self, descriptor: int, data: bytes) -> bool:
        """Write as much as there is room for; False: that was not all, for want of room or of disk."""
        fitting = data[: self._room]
        if len(fitting) < len(data):
            # Not in the middle of a character.
            fitting = fitting.decode(errors="ignore").encode()
        self._room -= len(fitting)
        try:
            return os.write(descriptor, fitting) == len(data)
        except OSError:
            return False

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class _Live:
    """Merges pieces: the first is told at once, then at most one in :data:`LIVE_SECONDS`."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._waiting = _Tail(_LIVE_CHARS)
        self._chars = 0
        self._next = 0.0

    @property
    def due(self) -> float | None:
        return max(0.0, self._next - time.monotonic()) if self._chars else None

    def add(self, text: str) -> None:
        self._waiting.add(text)
        self._chars += len(text)
        if time.monotonic() >= self._next:
            self.flush()

    def flush(self) -> None:
        if not self._chars:
            return
        text, passed_over = self._waiting.text(), self._chars - _LIVE_CHARS
        mark = f"[… {passed_over:,} characters passed over …]\n" if passed_over > 0 else ""
        self._waiting, self._chars = _Tail(_LIVE_CHARS), 0
        self._next = time.monotonic() + LIVE_SECONDS
        self._tell(mark + text)
