"""What the process and its children print, copied to the real stderr without ever holding them up.

Owns the reading end of the private pipe behind fds 1 and 2. A slow reader of stderr is waited for within
bounds; one that does not read, or is gone, loses text, which is counted; the run never waits. Imports only
what costs next to nothing.
"""

from __future__ import annotations

import _thread
import os
import select
import time

from turnwire.runner.channel.readiness import ready_to_read, ready_to_write

__all__ = ["StderrCopy"]

_BACKLOG_BYTES = 1 << 20
"""Kept for a slow reader of stderr: more than a burst of log lines, little enough to lose."""

_CHUNK_BYTES = 65_536

_LOOK_AGAIN_SECONDS = 0.001
"""How often the exit looks whether the copy is finished; it has a deadline."""


class StderrCopy:
    """Copies from ``source``, our end of the private pipe, to ``target``, the real stderr or None.

    ``dropped`` counts the bytes that the target did not take. Only the thread reads and writes, so that a
    stderr that somebody else has filled can hold up nothing but this thread.
    """

    def __init__(self, source: int, target: int | None) -> None:
        self.dropped = 0
        self._source = source
        self._target = target
        self._gone = target is None
        self._ended = False
        self._backlog = bytearray()
        self._moving = _thread.allocate_lock()

    @property
    def descriptors(self) -> tuple[int | None, ...]:
        """What a forked process must not keep."""
        return (self._source, self._target)

    def start(self) -> None:
        """Copy from now on, in a thread that holds up nothing: not the run, not the exit."""
        _thread.start_new_thread(self._copy, ())

    def drain(self, seconds: float) -> bool:
        """Wait until all that is in the pipe has been copied or dropped, for ``seconds`` at most.

        False: the time was over first, because stderr is full or somebody goes on writing.
        """
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if self._moving.acquire(timeout=left):
                try:
                    if not self._backlog and (self._ended or not ready_to_read(self._source)):
                        return True
                finally:
                    self._moving.release()
            time.sleep(_LOOK_AGAIN_SECONDS)
        return False

    def step(self) -> bool:
        """Wait until something can be moved, and move it. False: nobody can print any more."""
        ready = self._wait()
        with self._moving:
            if self._source in ready:
                self._take()
            if self._target in ready:
                self._give()
        return bool(self._backlog) or not self._ended

    def _copy(self) -> None:
        while self.step():
            pass

    def _wait(self) -> dict[int, int]:
        poller = select.poll()
        if not self._ended:
            poller.register(self._source, select.POLLIN)
        if self._backlog and self._target is not None:
            poller.register(self._target, select.POLLOUT)
        return dict(poller.poll())

    def _take(self) -> None:
        chunk = os.read(self._source, _CHUNK_BYTES)
        self._ended = not chunk
        if self._gone or len(self._backlog) + len(chunk) > _BACKLOG_BYTES:
            self.dropped += len(chunk)
        else:
            self._backlog += chunk

    def _give(self) -> None:
        """Write what stderr takes without waiting: a writable pipe takes PIPE_BUF bytes whole."""
        assert self._target is not None
        try:
            while self._backlog and ready_to_write(self._target):
                del self._backlog[: os.write(self._target, self._backlog[: select.PIPE_BUF])]
        except BlockingIOError:
            time.sleep(_LOOK_AGAIN_SECONDS)
        except OSError:
            self._gone = True
            self.dropped += len(self._backlog)
            self._backlog.clear()
