"""The lane of host lines: always read, in order, each line delivered once, whatever state the run is in.

Owns the reading of the answers descriptor and nothing of what a line does. It never waits for the loop, so a
host may write as much as it likes before it reads; it lets the loop have its turns, so a host that floods
holds up nothing. Never sets O_NONBLOCK on the descriptor: the host shares the flag.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable

import anyio
import anyio.lowlevel
import anyio.to_thread

from turnwire.protocol.codec import BadLine, decode_command
from turnwire.protocol.events import RefusalCode
from turnwire.protocol.framing import Line, LineReader, TooLong
from turnwire.runner.core.inputs import ChannelEnded, HostLineRead, HostLineRefused

__all__ = ["AnswersLane"]

_CHUNK_BYTES = 65_536
"""Read at once: what a pipe holds on Linux."""

_TURN_LINES = 128
"""So many lines are decoded before the loop has its turn."""

_TURN_BYTES = 1 << 20
"""So many bytes of lines are decoded before the loop has its turn."""


class AnswersLane:
    """Reads host lines from ``fd`` and hands each to ``deliver``, which must not wait.

    A line longer than ``limit`` bytes (0 is no limit) is refused without being kept. The last delivery is one
    ``ChannelEnded``, at the end of the stream or when it cannot be read any further.
    """

    def __init__(
        self,
        fd: int,
        limit: int,
        deliver: Callable[[HostLineRead | HostLineRefused | ChannelEnded], object],
    ) -> None:
        self._fd = fd
        self._limit = limit
        self._deliver = deliver
        self._reader = LineReader(limit=limit)

    async def run(self) -> None:
        """Read to the end. Cancel it at any time; nothing is lost but what was not read."""
        try:
            awaited = _can_be_awaited(self._fd)
            while chunk := await self._read(awaited=awaited):
                await self._take(self._reader.feed(chunk))
        except OSError as wrong:
            self._deliver(ChannelEnded(reason=f"answers cannot be read: {wrong.strerror}"))
            return
        last = self._reader.end()
        await self._take([] if last is None else [last])
        self._deliver(ChannelEnded(reason="the host closed its end"))

    async def _read(self, *, awaited: bool) -> bytes:
        """Give the next bytes, or none at the end. What is ready gives them without waiting."""
        while awaited:
            await anyio.wait_readable(self._fd)
            try:
                return os.read(self._fd, _CHUNK_BYTES)
            except BlockingIOError:
                continue
        # A thread that waits for ever does not hold the exit: the process leaves by os._exit.
        return await anyio.to_thread.run_sync(
            os.read, self._fd, _CHUNK_BYTES, abandon_on_cancel=True
        )

    async def _take(self, lines: Iterable[Line | TooLong]) -> None:
        count = size = 0
        for line in lines:
            self._deliver(self._delivery(line))
            count += 1
            size += len(line.data) if isinstance(line, Line) else 0
            if count == _TURN_LINES or size >= _TURN_BYTES:
                await anyio.lowlevel.checkpoint()
                count = size = 0

    def _delivery(self, line: Line | TooLong) -> HostLineRead | HostLineRefused:
        if isinstance(line, TooLong):
            told = f"the line has {line.length} bytes, at most {self._limit} are taken"
            return HostLineRefused(line=line.number, code=RefusalCode.TOO_LONG, message=told)
        try:
            return HostLineRead(line=line.number, command=decode_command(line.data))
        except BadLine as bad:
            return HostLineRefused(line=line.number, code=bad.code, message=bad.message, id=bad.id)


def _can_be_awaited(fd: int) -> bool:
    """Readiness can be awaited of pipes, sockets and terminals, not of files and the null device."""
    kind = os.fstat(fd).st_mode
    return stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or os.isatty(fd)
