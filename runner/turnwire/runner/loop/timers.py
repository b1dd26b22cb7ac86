"""Workers that only wait: for the next try, for the end of a turn's time, for the reader of stdout."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import DeadlinePassed, Input, ReaderCaughtUp, Waited
from turnwire.runner.core.jobs import CatchUp, Wait, WatchDeadline
from turnwire.runner.loop.clock import Clock

__all__ = ["Timers"]


class Timers:
    """The waits of a run, on its clock."""

    def __init__(self, clock: Clock, drained: Callable[[], Awaitable[None]]) -> None:
        """``drained`` waits until the reader of stdout has everything, or is gone."""
        self._clock = clock
        self._drained = drained

    async def wait(self, job: Wait, desk: Desk) -> Input:
        """Wait until the next try may start."""
        await anyio.sleep(self._clock.seconds_until(job.until))
        return Waited(job=job.key)

    async def watch_deadline(self, job: WatchDeadline, desk: Desk) -> Input:
        """Wait until the turn's time is up."""
        await anyio.sleep(self._clock.seconds_until(job.until))
        return DeadlinePassed(job=job.key)

    async def catch_up(self, job: CatchUp, desk: Desk) -> Input:
        """Wait for the reader of stdout."""
        await self._drained()
        return ReaderCaughtUp()
