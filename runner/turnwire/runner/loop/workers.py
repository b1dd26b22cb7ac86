"""Workers: one for each pending job, started, stopped and let go by reconciliation.

A worker is started when its job appears, told to stop when the job says so, and let go when the job is no
longer pending; what it says after that reaches nobody. Whatever a worker raises is our own bug and ends the
run: outside failures are findings.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any

import anyio
from anyio.abc import TaskGroup

from turnwire.protocol.rows import Port
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Input, Remarked
from turnwire.runner.core.jobs import Job

__all__ = ["TellDelta", "Worker", "Workers", "WorkersDesk"]


TellDelta = Callable[[str, Port, str, "int | None"], None]
"""Tells a delta of a row: row, port, text, number of the call."""


class WorkersDesk:
    """Where one worker speaks from, as long as its job is pending."""

    def __init__(self, row: str, put: Callable[[Input], None], told: TellDelta) -> None:
        """``put`` takes remarks, ``told`` deltas of ``row``."""
        self.scope = anyio.CancelScope()
        self.wanted = True
        self.stopping = False
        self.finished = False
        self.last_words: Input | None = None
        self._row = row
        self._put = put
        self._told = told

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        """Tell a live piece of the job's row, unless the job is no longer wanted."""
        if self.wanted and not self.stopping:
            self._told(self._row, port, text, call_index)

    def notice(self, code: str, message: str) -> None:
        """Tell people something worth knowing."""
        if self.wanted:
            self._put(Remarked(code=code, message=message))

    def stopped(self, finding: Input) -> None:
        """Leave the finding that stands if the worker is stopped."""
        self.last_words = finding


Worker = Callable[[Any, Desk], "Input | Coroutine[Any, Any, Input]"]
"""Does one job to its end and says what came of it: at once, where there is nothing to wait for. One whose
job can be stopped leaves its last words at the desk before it waits for anything."""


class Workers:
    """Keeps one worker for each pending job."""

    def __init__(
        self,
        tasks: TaskGroup,
        put: Callable[[Input], None],
        hands: Mapping[type[Job], Worker],
        told: TellDelta,
    ) -> None:
        """``put`` takes findings, ``hands`` says who does which kind of job, ``told`` tells deltas."""
        self._tasks = tasks
        self._put = put
        self._hands = hands
        self._told = told
        self._desks: dict[str, WorkersDesk] = {}

    def match(self, jobs: Iterable[Job]) -> None:
        """Start, stop and let go of workers so that they are those of ``jobs``."""
        wanted = {job.key: job for job in jobs}
        for key in [key for key in self._desks if key not in wanted]:
            self._let_go(key)
        for key, job in wanted.items():
            desk = self._desks.get(key)
            if desk is None:
                self._start(job)
            elif job.stop and not desk.stopping:
                desk.stopping = True
                desk.scope.cancel()

    def _start(self, job: Job) -> None:
        desk = self._desks[job.key] = WorkersDesk(job.key, self._put, self._told)
        work = self._hands[type(job)](job, desk)
        if isinstance(work, Input):
            desk.finished = True
            self._put(work)
        else:
            self._tasks.start_soon(self._wait_for, work, desk)

    def _let_go(self, key: str) -> None:
        desk = self._desks.pop(key)
        desk.wanted = False
        if not desk.finished:
            desk.scope.cancel()

    async def _wait_for(self, work: Coroutine[Any, Any, Input], desk: WorkersDesk) -> None:
        finding: Input | None = None
        with desk.scope:
            finding = await work
        desk.finished = True
        finding = finding or desk.last_words
        if desk.wanted and finding is not None:
            self._put(finding)
