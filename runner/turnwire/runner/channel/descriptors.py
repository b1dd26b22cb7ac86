"""The first act of the process: the host's descriptors become private, before anybody can write to them.

Owns fds 0 to 2 and every descriptor that belongs to the host. Afterwards ``print``, C libraries and inherited
processes reach a private pipe that is copied to the real stderr, never the events; nothing that a tool
leaves behind holds a pipe of the host. Imports only what costs next to nothing, reads no flags and never
sets O_NONBLOCK on what was inherited: that flag is shared with the host.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import select
import stat
import sys
import time

from turnwire.runner.channel.readiness import ready_to_write
from turnwire.runner.channel.stderr import StderrCopy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["DescriptorError", "Descriptors", "own", "write_whole"]

_PRIVATE_FROM = 64
"""Private descriptors stand above the numbers that hosts and shells give away."""

_PRIVATE_PIPE_BYTES = 1 << 20
"""The most that Linux gives to anybody who asks (fs.pipe-max-size)."""

_LAST_WORDS_SECONDS = 0.5
"""How long a process that leaves in the ordinary way waits for its stderr to take what it said."""


class DescriptorError(Exception):
    """A descriptor that the host named cannot be used: the host's fault, said in one sentence."""


class Descriptors:
    """What the host handed over, moved out of everybody's way.

    ``events`` is the stdout that the host reads, or None if it was closed or cannot be written to.
    """

    def __init__(self, *, stdin: int | None, events: int | None, copy: StderrCopy) -> None:
        self.events = events
        self._stdin = stdin
        self._answers: int | None = None
        self._copy = copy
        self._printed = _rebind()

    def take_stdin(self) -> int:
        """Give the private descriptor of the stdin that the host handed over, to be read.

        DescriptorError: it was closed or cannot be read.
        """
        if self._stdin is None or not _readable(self._stdin):
            raise DescriptorError("stdin is closed or cannot be read")
        return self._stdin

    def release_stdin(self) -> None:
        """Close the host's stdin, which nobody will read: who writes to it learns so at once."""
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def take_answers(self, fd: int) -> int:
        """Move the inherited descriptor ``fd`` away, make it close-on-exec, and give its new number.

        DescriptorError: ``fd`` is below 3, closed, not readable, or not the host's.
        """
        if fd < 3:
            raise DescriptorError(f"answers cannot come in on descriptor {fd}: 3 is the lowest")
        if fd in self._private() or not _is_open(fd):
            raise DescriptorError(f"descriptor {fd} for answers is not open")
        if not _readable(fd):
            raise DescriptorError(f"descriptor {fd} for answers cannot be read")
        self._answers = _moved_away(fd)
        os.close(fd)
        return self._answers

    def stderr_dropped(self) -> int:
        """Count the bytes of fds 1 and 2 that the real stderr did not take."""
        return self._copy.dropped

    def drain_stderr(self, seconds: float) -> None:
        """Wait until the real stderr has what was written to fds 1 and 2, for ``seconds`` at most.

        What a process left behind does not hold the exit: its end of the pipe is not waited for.
        """
        for stream in self._printed:
            try:
                stream.flush()
            except (OSError, ValueError):
                continue
        self._copy.drain(seconds)

    def _private(self) -> set[int]:
        own = {self._stdin, self.events, self._answers, *self._copy.descriptors}
        return {fd for fd in own if fd is not None}

    def forget(self) -> None:
        """Close everything private: in a forked process, which without exec would keep the host's pipes."""
        atexit.unregister(self.drain_stderr)
        for fd in self._private():
            try:
                os.close(fd)
            except OSError:
                continue


def own() -> Descriptors:
    """Take the host's descriptors away from fds 0, 1 and 2. Call it once, as the first statement.

    fd 0 becomes the null device, fds 1 and 2 a private pipe; ``sys.stdin``, ``sys.stdout`` and ``sys.stderr``
    are bound to them anew.
    """
    kept = [_is_open(0), _writable(1), _writable(2)]
    _fill_with_null()
    stdin, events, stderr = (_moved_away(fd) if kept[fd] else None for fd in range(3))
    copy = StderrCopy(_redirect(), stderr)
    owned = Descriptors(stdin=stdin, events=events, copy=copy)
    copy.start()
    os.register_at_fork(after_in_child=owned.forget)
    atexit.register(owned.drain_stderr, _LAST_WORDS_SECONDS)
    return owned


def write_whole(fd: int, line: bytes, seconds: float) -> None:
    """Write all of ``line`` to ``fd`` before there is a loop, or after it: at most ``seconds`` of waiting.

    TimeoutError: the reader takes nothing. Other OSError: it is gone.
    """
    deadline = time.monotonic() + seconds
    rest = memoryview(line)
    while rest:
        left = max(0, int((deadline - time.monotonic()) * 1000))
        if not ready_to_write(fd, left):
            raise TimeoutError(f"the reader took no byte for {seconds:g} seconds")
        try:
            rest = rest[os.write(fd, rest[: select.PIPE_BUF]) :]
        except BlockingIOError:
            time.sleep(0.001)


# --- moving -----------------------------------------------------------------------------------------------


def _fill_with_null() -> None:
    """Open the null device on every closed fd of 0 to 2: the lowest free number is always given first."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(fd, True)  # noqa: FBT003 (only so)
    os.close(fd)


def _redirect() -> int:
    """Point fd 0 at the null device and fds 1 and 2 at a new pipe; give our end of the pipe."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    source, sink = os.pipe()
    _enlarge(sink)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    os.close(sink)
    private = _moved_away(source)
    os.close(source)
    return private


def _enlarge(pipe: int) -> None:
    """Make room for C code that prints a lot while it holds the interpreter, which the copy needs to run."""
    if sys.platform == "linux":
        try:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PRIVATE_PIPE_BYTES)
        except OSError:
            return


def _rebind() -> tuple[TextIO, ...]:
    """Bind ``sys``'s streams to fds 0 to 2 as they are now, so that no text can fail to be printed."""
    sys.stdin = _bound(0, "r", "replace")
    sys.stdout = _bound(1, "w", "backslashreplace")
    sys.stderr = _bound(2, "w", "backslashreplace")
    return (sys.stdout, sys.stderr)


def _bound(fd: int, mode: str, errors: str) -> TextIO:
    return open(fd, mode, 1, encoding="utf-8", errors=errors, closefd=False)  # type: ignore[return-value]


def _moved_away(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _PRIVATE_FROM)


# --- looking ----------------------------------------------------------------------------------------------


def _access(fd: int) -> int | None:
    """Give the access mode of ``fd``, or None if it is closed or no number of a descriptor."""
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
    except (OSError, OverflowError):
        return None


def _is_open(fd: int) -> bool:
    return _access(fd) is not None


def _readable(fd: int) -> bool:
    return _access(fd) in {os.O_RDONLY, os.O_RDWR} and not stat.S_ISDIR(os.fstat(fd).st_mode)


def _writable(fd: int) -> bool:
    return _access(fd) in {os.O_WRONLY, os.O_RDWR}
