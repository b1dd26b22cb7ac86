"""The one writer of the event stream: whole lines, in order, at the pace of the host that reads them.

Owns the waiting: for a slow reader, for one that hangs up while nothing is written, for one that stalls. The
loop never waits in here unless it asks to (``room``, ``drained``). What waits, and in which bounds, is the
business of ``backlog``; the single write is that of ``sinks``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

import anyio
import anyio.lowlevel

from turnwire.runner.channel.backlog import Backlog, LogReader, LogUnreadable
from turnwire.runner.channel.sinks import Sink, open_sink

__all__ = ["EventStream"]

_FLUSH_BYTES = 1 << 20
"""One flush writes no more than this, so that a fast reader of a long backlog does not hold up the loop."""

_ROOM_BYTES = 64 << 20
"""What may wait in memory before the loop waits (spec/framing.md)."""

_LOOK_AGAIN_SECONDS = 1.0
"""How often a socket is looked at whose other end wrote something into our stdout, instead of hanging up."""


class _Change:
    """Something that several may wait for again and again; telling it costs nothing while nobody waits."""

    def __init__(self) -> None:
        self._event: anyio.Event | None = None

    def tell(self) -> None:
        if self._event is not None:
            self._event.set()
            self._event = None

    async def wait(self) -> None:
        if self._event is None:
            self._event = anyio.Event()
        await self._event.wait()


class EventStream:
    """The event stream on descriptor ``fd`` (None: stdout was closed, the reader is gone from the start).

    ``line_limit`` is in bytes with the LF, 0 for none. ``stall_seconds`` is how long a reader may take nothing
    while something waits, 0 for ever. With a ``log``, a slow reader is served from it; each event is in the
    log before it is told.
    """

    def __init__(
        self, fd: int | None, *, line_limit: int, stall_seconds: float, log: LogReader | None = None
    ) -> None:
        self._fd = -1 if fd is None else fd
        self._sink: Sink | None = None
        self._stall = stall_seconds or math.inf
        self._backlog = Backlog(line_limit=line_limit, log=log)
        self._rest = memoryview(b"")
        self._rest_events = 0
        self._taken_at = monotonic()
        self._gone: str | None = None
        self._left_over, self._taken, self._ended = _Change(), _Change(), _Change()
        if fd is None:
            self._end("stdout was closed")
        else:
            self._sink = open_sink(fd)

    # --- telling

    def settled(self, line: bytes, seq: int, log_end: int | None) -> None:
        """Tell a settled event: ``line`` with its LF, the event's number, and where it ends in the log, or
        None where it stands in no log. Nothing is written before ``flush``.
        """
        if self._gone is None:
            self._backlog.settled(line, seq, log_end)

    def delta(self, line: bytes) -> None:
        """Tell a live piece: ``line`` with its LF. It may be merged into the one before it, or dropped."""
        if self._gone is None:
            self._backlog.delta(line)

    def flush(self) -> None:
        """Write what is taken without waiting, and leave the rest to ``run``. Call it once a loop step."""
        if self._sink is None or self._is_over():
            return
        try:
            self._write(self._sink)
        except (BrokenPipeError, ConnectionError):
            self._end("the reader of stdout hung up")
        except OSError as wrong:
            self._end(f"stdout cannot be written to: {wrong.strerror}")
        except LogUnreadable as wrong:
            self._end(str(wrong))

    def take_dropped(self) -> int:
        """Give the number of deltas that were dropped since the last call."""
        dropped, self._backlog.dropped = self._backlog.dropped, 0
        return dropped

    def close(self) -> None:
        """Close the descriptor, so that the reader sees the end of the stream. Nothing is told afterwards."""
        if self._sink is not None:
            self._sink.close()
            self._sink = None
            self._ended.tell()

    # --- waiting

    @property
    def gone(self) -> str | None:
        """Why nobody reads any more, in words; None while somebody may."""
        return self._gone

    @property
    def unread(self) -> int:
        """How many told events the stream has not wholly taken; 0 once its reader is gone."""
        return self._backlog.events + self._rest_events

    async def drained(self) -> None:
        """Wait until everything told is taken, or the reader is gone. ``run`` does the writing meanwhile."""
        self.flush()
        while self._waits():
            await self._taken.wait()

    async def room(self) -> None:
        """Wait while more than 64 MiB wait in memory, which only happens without a log."""
        while self._backlog.size + len(self._rest) > _ROOM_BYTES:
            await self._taken.wait()

    async def run(self, on_gone: Callable[[str], None]) -> None:
        """Write at the reader's pace until it is gone, and then say why; or until the stream is closed."""
        if self._sink is not None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, self._sink)
                tasks.start_soon(self._keep_writing, self._sink)
                while not self._is_over():
                    await self._ended.wait()
                tasks.cancel_scope.cancel()
        if self._gone is not None:
            on_gone(self._gone)

    async def _keep_writing(self, sink: Sink) -> None:
        while True:
            while not self._waits():
                await self._left_over.wait()
            self._taken_at = monotonic()
            while self._waits():
                await self._until_ready(sink)
                self.flush()
                if self._waits() and monotonic() - self._taken_at >= self._stall:
                    self._end(f"the reader of stdout took no byte for {self._stall:g} seconds")

    async def _until_ready(self, sink: Sink) -> None:
        if sink.awaited:
            with anyio.move_on_after(self._taken_at + self._stall - monotonic()):
                await anyio.wait_writable(self._fd)
        else:
            await anyio.lowlevel.checkpoint()

    async def _watch(self, sink: Sink) -> None:
        """See a hang-up also while nothing is written: the writing end of a pipe becomes readable then."""
        while sink.watched:
            await anyio.wait_readable(self._fd)
            if sink.hung_up():
                self._end("the reader of stdout hung up")
                return
            await anyio.sleep(_LOOK_AGAIN_SECONDS)

    # --- writing

    def _is_over(self) -> bool:
        return self._gone is not None or self._sink is None

    def _waits(self) -> bool:
        return bool(self._rest) or bool(self._backlog)

    def _write(self, sink: Sink) -> None:
        most = _FLUSH_BYTES
        while most > 0 and self._next():
            taken = sink.write(self._rest[:most])
            if not taken:
                break
            self._rest = self._rest[taken:]
            self._taken_at = monotonic()
            most -= taken
        if not self._rest:
            self._rest_events = 0
        self._taken.tell()
        if self._waits():
            self._left_over.tell()

    def _next(self) -> bool:
        """Have something to write: the rest of what was begun before anything else."""
        if self._rest:
            return True
        batch = self._backlog.batch()
        if batch is None:
            return False
        self._rest, self._rest_events = memoryview(batch.data), batch.events
        return True

    def _end(self, reason: str) -> None:
        self._gone = reason
        self._rest, self._rest_events = memoryview(b""), 0
        self._backlog.clear()
        for change in (self._left_over, self._taken, self._ended):
            change.tell()
