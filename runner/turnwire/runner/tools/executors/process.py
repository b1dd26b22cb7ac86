"""The one way in which a tool runs a process: apart from us, bounded in time, and ended as a group.

The process has a session of its own, hence no terminal, nothing to read, and one pipe for all that
it prints. It is over when the process that was started is over: one that it left behind may hold
the pipe for ever and is reported, not waited for. Linux and macOS.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

import anyio

from turnwire.runner.tools.executors.groups import begun, end_group, ended, until_gone
from turnwire.runner.tools.executors.output import Output

__all__ = ["Command", "ProcessEnd", "run_process"]

_READ_BYTES = 65_536
_READS_PER_WAKE = 16
"""Reads before others have their turn: 1 MiB, about a millisecond."""

_DRAIN_SECONDS = 0.5
"""How long the pipe may stay open after the process has ended, before somebody is said to hold it.
"""

_SETTLE_SECONDS = 0.2
"""How long the rest of the group may take to end by itself, before it is said to go on."""

_LOOK_SECONDS = 0.02
"""How often a process is looked at where the system cannot wake us."""


class Command(NamedTuple):
    """What to start: ``environment`` is all that the process sees."""

    arguments: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    timeout_seconds: float


class ProcessEnd(NamedTuple):
    """How a process ended. ``code`` is its exit code, negative for the signal that ended it, None
    if it could not even be killed. ``group`` is its process group if something of it still runs;
    ``detached`` says that a process outside the group holds the output open.
    """

    code: int | None
    timed_out: bool
    group: int | None
    detached: bool


async def run_process(
    command: Command, output: Output, *, stopped: Callable[[ProcessEnd], None]
) -> ProcessEnd:
    """Run ``command`` to its end, with what it prints going to ``output``, which is closed then.

    After the timeout, and on cancellation, its group is ended: TERM, a grace, KILL. ``stopped`` is
    told of the end before a cancellation passes through. OSError, ValueError: it could not be
    started.
    """
    run = _Run(command, output)
    try:
        timed_out = not await run.until_over(command.timeout_seconds)
        return await run.end() if timed_out else await run.settle()
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):
            stopped(await run.end())
        raise
    finally:
        run.close()


class _Run:
    def __init__(self, command: Command, output: Output) -> None:
        self._output = output
        self._pipe, theirs = os.pipe()
        try:
            os.set_blocking(self._pipe, False)
            self._process = subprocess.Popen(
                command.arguments,
                cwd=command.cwd,
                env=dict(command.environment),
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(theirs)
        begun(self._process.pid)
        self._eof = anyio.Event()

    async def until_over(self, seconds: float) -> bool:
        """Wait until the process has ended and, for a moment, for the end of its output. False: it
        has not ended in time.
        """
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read)
            with anyio.move_on_after(seconds):
                await self._exit()
            over = self._process.poll() is not None
            await self._drain(_DRAIN_SECONDS if over else 0)
            tasks.cancel_scope.cancel()
        return self._process.returncode is not None

    async def settle(self) -> ProcessEnd:
        """After the process has ended by itself: does something of it go on?"""
        gone = await until_gone(self._process.pid, self._process.poll, _SETTLE_SECONDS)
        return self._end(gone=gone, timed_out=False)

    async def end(self) -> ProcessEnd:
        """End the group, and read on meanwhile: who is asked to end may have something to say."""
        gone = False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read)
            gone = await end_group(self._process.pid, self._process.poll)
            await self._drain(_DRAIN_SECONDS if gone else 0)
            tasks.cancel_scope.cancel()
        return self._end(gone=gone, timed_out=True)

    def close(self) -> None:
        """Let go of the pipe. Whoever still writes to it is told by the system."""
        os.close(self._pipe)

    def _end(self, *, gone: bool, timed_out: bool) -> ProcessEnd:
        self._output.close()
        if gone:
            ended(self._process.pid)
        group = None if gone else self._process.pid
        return ProcessEnd(
            self._process.returncode, timed_out, group, not self._eof.is_set() and gone
        )

    async def _exit(self) -> None:
        """Wait for the end of the process that was started, and collect it."""
        watch = _watch(self._process.pid)
        try:
            if watch is not None:
                await anyio.wait_readable(watch)
            while self._process.poll() is None:  # noqa: ASYNC110 - there is nothing else to wait for
                await anyio.sleep(_LOOK_SECONDS)
        finally:
            if watch is not None:
                os.close(watch)

    async def _drain(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._eof.wait()
        self._read_some()

    async def _read(self) -> None:
        while not self._eof.is_set():
            with anyio.move_on_after(self._output.live_is_due) as scope:
                await anyio.wait_readable(self._pipe)
            if scope.cancelled_caught:
                self._output.tell_live()
            else:
                self._read_some()

    def _read_some(self) -> None:
        try:
            for _ in range(_READS_PER_WAKE):
                data = os.read(self._pipe, _READ_BYTES)
                if not data:
                    self._eof.set()
                    return
                self._output.take(data)
        except BlockingIOError:
            return


def _watch(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, where the system has such a thing."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
