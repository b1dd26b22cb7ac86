"""The loop: take one input, say what is now true, log it, tell it, and match workers to what is pending.

Knows no tool, no model and no person; those are workers. Everything that happens in a run goes through
here, in order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from turnwire.protocol.events import Settled
from turnwire.runner.core.inputs import Input
from turnwire.runner.core.jobs import Job
from turnwire.runner.core.machine import decide
from turnwire.runner.core.pending import pending
from turnwire.runner.core.state import Run
from turnwire.runner.loop.flood import FloodGate
from turnwire.runner.loop.inbox import Inbox

__all__ = ["Driver", "Journal"]


class Journal(Protocol):
    """Where events go: into the log, then to the host."""

    def record(self, events: list[Settled]) -> Input | None:
        """Log and tell ``events``; give the input that follows from how that went, if any."""
        ...


class Driver:
    """Drives one run. ``run`` is its state as it is told."""

    def __init__(
        self,
        run: Run,
        inbox: Inbox,
        *,
        journal: Journal,
        gate: FloodGate,
        room: Callable[[], Awaitable[None]],
        now: Callable[[], int],
    ) -> None:
        """``room`` waits while the host is too far behind to be told more; ``now`` gives milliseconds since
        the epoch.
        """
        self.run = run
        self._inbox = inbox
        self._journal = journal
        self._gate = gate
        self._room = room
        self._now = now

    async def drive(self, match: Callable[[list[Job]], None]) -> None:
        """Run until ``end`` is said; ``match`` keeps workers to the pending jobs."""
        match(pending(self.run))
        while not self.run.ended:
            received = await self._inbox.take()
            for admitted in self._gate.admit(self.run, received):
                self.take(admitted)
            match(pending(self.run))
            await self._room()

    def take(self, received: Input) -> None:
        """Decide on one input, and on what follows from saying so."""
        following: Input | None = received
        while following is not None:
            events, self.run = decide(self.run, self._now(), following)
            following = self._journal.record(events)
