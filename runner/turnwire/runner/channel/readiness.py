"""What a descriptor is ready for at this moment, asked of the kernel.

Owns the one way of looking. A descriptor that the kernel does not poll, or that is closed, counts as ready:
the read or the write that follows then says what is the matter. Imports only what costs next to nothing.
"""

from __future__ import annotations

import select

__all__ = ["hung_up", "ready_to_read", "ready_to_write"]


def ready_to_read(fd: int, milliseconds: int = 0) -> bool:
    """True if a read does not wait, now or within ``milliseconds``."""
    return bool(_poll(fd, select.POLLIN, milliseconds))


def ready_to_write(fd: int, milliseconds: int = 0) -> bool:
    """True if a pipe takes PIPE_BUF bytes without waiting, now or within ``milliseconds``."""
    return bool(_poll(fd, select.POLLOUT, milliseconds))


def hung_up(fd: int) -> bool:
    """True if nobody can ever read what is written to ``fd``, a pipe or a socket."""
    # POSIX always reports these; Darwin looks at a descriptor only if something of it is asked for.
    gone = select.POLLERR | select.POLLHUP
    return bool(_poll(fd, gone, 0) & (gone | select.POLLNVAL))


def _poll(fd: int, wanted: int, milliseconds: int) -> int:
    poller = select.poll()
    poller.register(fd, wanted)
    found = poller.poll(milliseconds)
    return found[0][1] if found else 0
