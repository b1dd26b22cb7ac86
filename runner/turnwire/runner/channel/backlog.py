"""What is told but not yet taken by the host, in order and in bounded memory.

Owns the bounds: deltas of a slow reader are merged, then dropped and counted; settled lines beyond a bound
are not kept, but read back from the session's log. Knows no descriptor and never waits.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple, Protocol

from turnwire.protocol.framing import split_parts

__all__ = ["Backlog", "Batch", "LogReader", "LogUnreadable"]

_KEPT_BYTES = 1 << 20
"""Settled lines beyond this are read back from the log."""

_DELTA_BYTES = 1 << 18
"""No delta is added to a queue of this size: its reader looks at something else."""

_MERGE_FROM = 64
"""Queued lines from which on the reader counts as slow and deltas are merged."""

_MERGED_BYTES = 16_384
"""No merged delta grows beyond this, or beyond what a line may be."""

_BATCH_BYTES = 1 << 16
"""Written at once: what a pipe holds on Linux."""

_DELTA = re.compile(
    rb'(\{"type":"delta","row":"[^"]*","port":"(?!progress)[^"]*","text":")(.*)("(?:,"call_index":\d+)?\}\n)',
    re.DOTALL,
)
"""A delta as ``codec`` writes it: what it belongs to, its text, its end. One of port ``progress`` stands for
itself and is never joined to the one before."""


class LogReader(Protocol):
    """The session's log, as far as the reader of stdout needs it."""

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes from offset ``start`` up to ``end``."""
        ...


class LogUnreadable(Exception):
    """The log does not give back what was written to it."""


class Batch(NamedTuple):
    """Bytes to be written at once, and how many told events end in them."""

    data: bytes
    events: int


class _Merged:
    """Deltas of one row and port that became one: their head and end, and their texts in between."""

    def __init__(self, head: bytes, text: bytes, end: bytes) -> None:
        self.key = (head, end)
        self.texts = [text]
        self.size = len(head) + len(text) + len(end)

    def line(self) -> bytes:
        return b"".join([self.key[0], *self.texts, self.key[1]])


class _Logged:
    """Settled lines that stand in the log from ``start`` to ``end``; ``seq`` is the first one's number."""

    def __init__(self, start: int, end: int, seq: int) -> None:
        self.start = start
        self.end = end
        self.seq = seq


class Backlog:
    """A queue of told events: what comes first goes first, so no delta is behind its row's last line.

    ``events`` counts what waits, ``size`` is in bytes of memory, ``dropped`` counts deltas that are lost.
    """

    def __init__(self, *, line_limit: int, log: LogReader | None) -> None:
        self.events = 0
        self.size = 0
        self.dropped = 0
        self._limit = line_limit
        self._log = log
        self._queue: deque[bytes | _Merged | _Logged] = deque()

    def __bool__(self) -> bool:
        return bool(self._queue)

    # --- in

    def settled(self, line: bytes, seq: int, log_end: int | None) -> None:
        """Add a settled event: its line, its number, and the log's size once it stood there."""
        self.events += 1
        last = self._queue[-1] if self._queue else None
        if self._log is None or log_end is None:
            self._keep(line, seq)
        elif isinstance(last, _Logged) and last.end == log_end - len(line):
            last.end = log_end
        elif self.size >= _KEPT_BYTES:
            self._queue.append(_Logged(log_end - len(line), log_end, seq))
        else:
            self._keep(line, seq)

    def _keep(self, line: bytes, seq: int) -> None:
        if 0 < self._limit < len(line):
            line = b"".join(split_parts(line, seq=seq, limit=self._limit))
        self._queue.append(line)
        self.size += len(line)

    def delta(self, line: bytes) -> None:
        """Add a delta, while its reader keeps up somehow. One that is longer than a line may be is dropped."""
        if self._unwanted(line):
            self.dropped += 1
        elif len(self._queue) < _MERGE_FROM or (found := _DELTA.fullmatch(line)) is None:
            self._queue.append(line)
            self.size += len(line)
            self.events += 1
        else:
            self._merge(_Merged(*found.groups()))

    def _unwanted(self, line: bytes) -> bool:
        if 0 < self._limit < len(line) or self.size >= _DELTA_BYTES:
            return True
        return bool(self._queue) and isinstance(self._queue[-1], _Logged)

    def _merge(self, delta: _Merged) -> None:
        last = self._queue[-1]
        most = min(self._limit or _MERGED_BYTES, _MERGED_BYTES)
        if isinstance(last, _Merged) and last.key == delta.key and last.size + delta.size <= most:
            last.texts += delta.texts
            last.size += len(delta.texts[0])
            self.size += len(delta.texts[0])
        else:
            self._queue.append(delta)
            self.size += delta.size
            self.events += 1

    def clear(self) -> None:
        """Forget everything: nobody reads it any more."""
        self._queue.clear()
        self.events = self.size = 0

    # --- out

    def batch(self) -> Batch | None:
        """Take what is to be written next, whole lines; None if nothing waits. LogUnreadable: as it says."""
        if not self._queue:
            return None
        if isinstance(first := self._queue[0], _Logged):
            batch = self._read_back(first)
        else:
            batch = self._from_memory()
        self.events -= batch.events
        return batch

    def _from_memory(self) -> Batch:
        lines: list[bytes] = []
        size = 0
        while size < _BATCH_BYTES and self._queue:
            if isinstance(item := self._queue[0], _Logged):
                break
            self._queue.popleft()
            line = item.line() if isinstance(item, _Merged) else item
            lines.append(line)
            size += len(line)
        self.size -= size
        return Batch(lines[0] if len(lines) == 1 else b"".join(lines), len(lines))

    def _read_back(self, logged: _Logged) -> Batch:
        """Read some whole lines of the log; parts are made now, the log has none."""
        chunk = self._whole_lines(logged)
        lines = chunk.split(b"\n")[:-1]
        if 0 < self._limit <= max(map(len, lines)):
            numbered = enumerate(lines, logged.seq)
            data = b"".join(
                part
                for seq, line in numbered
                for part in split_parts(line + b"\n", seq=seq, limit=self._limit)
            )
        else:
            data = chunk
        logged.start += len(chunk)
        logged.seq += len(lines)
        if logged.start == logged.end:
            self._queue.popleft()
        return Batch(data, len(lines))

    def _whole_lines(self, logged: _Logged) -> bytes:
        assert self._log is not None
        size = _BATCH_BYTES
        while True:
            stop = min(logged.start + size, logged.end)
            try:
                chunk = self._log.read(logged.start, stop)
            except OSError as wrong:
                raise LogUnreadable(f"the session's log cannot be read: {wrong.strerror}") from None
            if whole := chunk.rfind(b"\n") + 1:
                return chunk[:whole]
            if stop == logged.end:
                raise LogUnreadable("the session's log is shorter than what was written to it")
            size *= 4
