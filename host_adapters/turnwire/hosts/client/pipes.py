"""Pipes without blocking: a pair of ends, reading what is there, writing what fits.

Owns every ``os.read`` and ``os.write`` of the client. The ends are the client's own, so setting
them non-blocking concerns nobody else: the flag of a pipe's other end is separate.
"""

from __future__ import annotations

import fcntl
import os
import signal

import anyio
import anyio.lowlevel

__all__ = ["CHUNK_BYTES", "open_pipe", "pipe_bytes", "read_chunk", "write_line"]

CHUNK_BYTES = 65_536
"""What a pipe holds on Linux and macOS, unless somebody has enlarged it."""

_FIRST_FREE = 3


def open_pipe() -> tuple[int, int]:
    """Open a pipe whose two ends are close-on-exec and not among the standard descriptors, which
    may be free in a host that closed them.
    """
    reader, writer = (_lift(end) for end in os.pipe())
    return reader, writer


def _lift(descriptor: int) -> int:
    if descriptor >= _FIRST_FREE:
        return descriptor
    lifted = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    os.close(descriptor)
    return lifted


def pipe_bytes(descriptor: int) -> int:
    """Give how much the pipe can hold, as far as the system tells."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    except (AttributeError, OSError):
        return CHUNK_BYTES


async def read_chunk(descriptor: int) -> bytes:
    """Wait for bytes and give up to :data:`CHUNK_BYTES` of them; nothing is the end.

    Whatever cancels this cancels it before anything is read, so no byte is ever lost.
    """
    await anyio.lowlevel.checkpoint()
    while True:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            await anyio.wait_readable(descriptor)


async def write_line(descriptor: int, line: bytes) -> None:
    """Write the whole of ``line``. BrokenPipeError: nobody will ever read it."""
    rest = memoryview(line)
    while rest:
        try:
            rest = rest[_write_unharmed(descriptor, rest) :]
        except BlockingIOError:
            await anyio.wait_writable(descriptor)


def _write_unharmed(descriptor: int, rest: memoryview) -> int:
    """Write without letting SIGPIPE end a host that has restored the signal's default action."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        return os.write(descriptor, rest)
    except BrokenPipeError:
        if signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
