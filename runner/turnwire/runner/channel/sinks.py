"""The ways to write to the host without waiting, one for each kind of descriptor.

Owns single writes. What is written, in which order, and who waits for the reader is the business of
``events``. O_NONBLOCK is never set on the descriptor: the host shares the flag.
"""

from __future__ import annotations

import os
import select
import socket
import stat
from typing import Protocol

from turnwire.runner.channel.readiness import hung_up

__all__ = ["FileSink", "PipeSink", "Sink", "SocketSink", "open_sink"]

_TERMINAL_BYTES = 256
"""What a terminal that calls itself writable surely takes (WAKEUP_CHARS of Linux's tty layer)."""

_FILE_BYTES = 1 << 18
"""A file takes everything; the loop has its turn in between."""


class Sink(Protocol):
    """One descriptor of the host.

    ``awaited`` tells whether its readiness can be waited for, ``watched`` whether it tells of a hang-up.
    """

    awaited: bool
    watched: bool

    def write(self, waiting: memoryview) -> int:
        """Write as much of ``waiting`` as is taken without waiting: 0 if nothing is. OSError: it is gone."""
        ...

    def hung_up(self) -> bool:
        """True if the reader is gone, as far as can be told without writing."""
        ...

    def close(self) -> None:
        """Close the descriptor."""
        ...


class PipeSink:
    """A pipe, a FIFO or a terminal: asked before each write of no more than it surely takes.

    A pipe that is ready takes PIPE_BUF bytes whole (POSIX). Measured on Linux, this is as fast as a descriptor
    of our own with O_NONBLOCK: 1 GB/s, a small piece wakes the reader sooner.
    """

    awaited = True

    def __init__(self, fd: int, *, terminal: bool = False) -> None:
        self.watched = not terminal
        self._fd = fd
        self._most = _TERMINAL_BYTES if terminal else select.PIPE_BUF
        self._poller = select.poll()
        self._poller.register(fd, select.POLLOUT)

    def write(self, waiting: memoryview) -> int:
        """Write piece by piece while the pipe is ready."""
        taken = 0
        try:
            while taken < len(waiting) and self._poller.poll(0):
                taken += os.write(self._fd, waiting[taken : taken + self._most])
        except BlockingIOError:
            pass
        return taken

    def hung_up(self) -> bool:
        """Ask the kernel."""
        return hung_up(self._fd)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._fd)


class SocketSink:
    """A socket, as Node gives to the processes that it starts."""

    awaited = True
    watched = True

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)

    def write(self, waiting: memoryview) -> int:
        """Send without waiting, whatever the descriptor's own flags say."""
        try:
            return self._socket.send(waiting, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def hung_up(self) -> bool:
        """Ask the kernel. A peer that only stopped writing may still be reading."""
        return hung_up(self._socket.fileno())

    def close(self) -> None:
        """Close the descriptor."""
        self._socket.close()


class FileSink:
    """A regular file or the null device: always ready, never hung up."""

    awaited = False
    watched = False

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def write(self, waiting: memoryview) -> int:
        """Write one bounded piece."""
        return os.write(self._fd, waiting[:_FILE_BYTES])

    def hung_up(self) -> bool:
        """Nobody reads a file while it is written."""
        return False

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._fd)


def open_sink(fd: int) -> Sink:
    """Choose by what ``fd`` is. OSError: it is closed. The sink lives as long as the process."""
    kind = os.fstat(fd).st_mode
    if stat.S_ISSOCK(kind):
        return SocketSink(fd)
    if stat.S_ISFIFO(kind):
        return PipeSink(fd)
    return PipeSink(fd, terminal=True) if os.isatty(fd) else FileSink(fd)
