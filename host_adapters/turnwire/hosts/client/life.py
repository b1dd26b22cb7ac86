"""The life of one child from its first byte until it is reaped, whatever it does and whatever is
cancelled.

Owns every wait for a child and the bound of each:

====================================  ====================================================
what is waited for                    how long
====================================  ====================================================
the next bytes of stdout              ``silence_seconds``, unless a person or a host tool is due
bytes after the ``end`` line          ``linger_seconds``, then it is asked to end
bytes after the process has exited    ``linger_seconds``, then stdout is no longer read
exit after stdout has ended           ``linger_seconds``, then it is asked to end
exit after TERM                       ``grace_seconds``, then its group is killed
room for events                       until the host takes one or leaves
====================================  ====================================================
"""

from __future__ import annotations

import math
import signal

import anyio

from turnwire.hosts.client.ending import Ending, FaultCode, Faults
from turnwire.hosts.client.lane import AnswersLane
from turnwire.hosts.client.mailbox import Closed, Mailbox
from turnwire.hosts.client.options import Bounds
from turnwire.hosts.client.pipes import pipe_bytes, read_chunk
from turnwire.hosts.client.process import ChildProcess
from turnwire.hosts.client.stderr import StderrDrain
from turnwire.hosts.client.stream import EventReader, Told
from turnwire.protocol.codec import Unknown
from turnwire.protocol.endings import ExitCode, Status
from turnwire.protocol.events import Event, HumanClosed, HumanRequest, ToolClosed, ToolRequest

__all__ = ["Life"]

_AFTER_KILL_SECONDS = 5
"""A killed process that has not gone by then hangs inside the kernel, and nobody can wait for it.
"""


class Life:
    """Reads a child to its end and sees it off. ``over`` is set, and ``ending`` there, when it is
    reaped.
    """

    def __init__(
        self, process: ChildProcess, *, answers: AnswersLane, stderr: StderrDrain, bounds: Bounds
    ) -> None:
        self.events: Mailbox[Event | Unknown] = Mailbox(bounds.waiting_bytes)
        self.over = anyio.Event()
        self.ending: Ending | None = None
        self._process = process
        self._answers = answers
        self._stderr = stderr
        self._bounds = bounds
        self._faults = Faults(bounds.faults)
        self._reader = EventReader(bounds, self._faults)
        self._due: set[str] = set()
        self._stop = anyio.Event()
        self._patience = anyio.CancelScope()

    async def run(self) -> None:
        """Live the whole life. Shielded: it is ended by :meth:`stop`, never by cancellation."""
        try:
            with anyio.CancelScope(shield=True):
                async with anyio.create_task_group() as lanes:
                    for lane in (self._watch, self._stop_when_asked, self._answers.serve):
                        lanes.start_soon(lane)
                    lanes.start_soon(self._stderr.drain)
                    await self._read()
                    await self._see_off()
                    lanes.cancel_scope.cancel()
                self._settle()
        finally:
            self._process.close()
            self.events.close()
            self.over.set()

    def stop(self) -> None:
        """Ask the child to end, and in the end make it."""
        self._stop.set()

    def leave(self) -> None:
        """The host takes no more events, so the child never waits for it again; unless it is on
        its way out already, it is asked to end.
        """
        self.events.close()
        self.events.clear()
        if self._reader.end is None:
            self.stop()

    # --- reading ---------------------------------------------------------------------------------

    async def _read(self) -> None:
        left_behind = pipe_bytes(self._process.stdout)
        while left_behind > 0 and (chunk := await self._next_chunk()) is not None:
            await self._tell(self._reader.feed(chunk))
            if self._process.exited.is_set():
                left_behind -= len(chunk)
        await self._tell(self._reader.finish())
        self.events.close()

    async def _next_chunk(self) -> bytes | None:
        while True:
            with anyio.CancelScope(deadline=self._deadline()) as self._patience:
                return await read_chunk(self._process.stdout) or None
            if self._process.exited.is_set():
                self._faults.add(
                    FaultCode.HELD_OPEN, "the process left its stdout to somebody else"
                )
                return None
            self._lose_patience()

    def _deadline(self) -> float:
        if self._process.exited.is_set():
            return anyio.current_time() + self._bounds.linger_seconds
        if self._stop.is_set():
            return math.inf
        if self._reader.end is not None:
            return anyio.current_time() + self._bounds.linger_seconds
        if self._bounds.silence_seconds is None or self._due:
            return math.inf
        return anyio.current_time() + self._bounds.silence_seconds

    def _lose_patience(self) -> None:
        if self._reader.end is not None:
            self._linger("its end line")
        else:
            silence = self._bounds.silence_seconds
            self._faults.add(FaultCode.SILENT, f"nothing came for {silence} seconds")
        self.stop()

    async def _tell(self, news: list[Told]) -> None:
        for event, size in news:
            self._note_due(event)
            try:
                await self.events.put(event, size)
            except Closed:
                continue

    def _note_due(self, event: Event | Unknown) -> None:
        match event:
            case HumanRequest(expects_response=True) | ToolRequest():
                self._due.add(event.id)
            case HumanClosed() | ToolClosed():
                self._due.discard(event.id)
            case _:
                pass

    # --- ending ----------------------------------------------------------------------------------

    async def _watch(self) -> None:
        await self._process.watch()
        self._answers.lose()
        self._patience.deadline = min(self._patience.deadline, self._deadline())

    async def _stop_when_asked(self) -> None:
        await self._stop.wait()
        self._process.signal_group(signal.SIGTERM)
        with anyio.move_on_after(self._bounds.grace_seconds):
            await self._process.exited.wait()
            return
        self._faults.add(FaultCode.KILLED, "the process did not end when asked to")
        self._process.signal_group(signal.SIGKILL)
        with anyio.move_on_after(_AFTER_KILL_SECONDS):
            await self._process.exited.wait()
        self._process.exited.set()

    async def _see_off(self) -> None:
        with anyio.move_on_after(self._bounds.linger_seconds):
            await self._process.exited.wait()
        if not self._process.exited.is_set():
            if not self._stop.is_set():
                self._linger("its stdout")
            self.stop()
            await self._process.exited.wait()

    def _linger(self, what: str) -> None:
        seconds = self._bounds.linger_seconds
        self._faults.add(FaultCode.LINGERED, f"the process outlived {what} by {seconds} seconds")

    def _settle(self) -> None:
        self._answers.lose()
        self._stderr.drain_rest()
        end, exit_code = self._reader.end, self._process.reap()
        if exit_code is None:
            exit_code = int(ExitCode.INTERNAL) if end is None else end.exit_code
        if end is not None and end.exit_code != exit_code:
            message = f"its end line says exit code {end.exit_code}, it left with {exit_code}"
            self._faults.add(FaultCode.OTHER_EXIT, message)
        self.ending = Ending(
            status=Status.ERROR if end is None else end.status,
            exit_code=exit_code,
            end=end,
            faults=tuple(self._faults.kept),
            fault_count=self._faults.count,
            undelivered=self._answers.undelivered,
            stderr=self._stderr.text,
        )
