"""What a decision is written with: events, numbered and timed, each folded as soon as it is said.

Owns ``seq``, ``at`` and ``turn`` of every event of the core. Lives for one decision and is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable

from turnwire.protocol.base import UNSET
from turnwire.protocol.events import Level, Notice, Settled
from turnwire.runner.core.evolve import evolve
from turnwire.runner.core.state import Run, Turn

__all__ = ["Telling"]


class Telling:
    """The events of one decision so far, and the state after them."""

    def __init__(self, run: Run, at: int) -> None:
        """Start from ``run`` at ``at`` milliseconds since the epoch."""
        self.run = run
        self.at = at
        self.events: list[Settled] = []

    @property
    def turn(self) -> Turn:
        """The turn in progress; asking without one is our own bug."""
        if self.run.turn is None:
            raise LookupError("no turn is in progress")
        return self.run.turn

    def say(self, word: Callable[..., Settled], **fields: object) -> None:
        """Say an event of the turn in progress, if any."""
        turn = UNSET if self.run.turn is None else self.run.turn.id
        self._add(word(seq=self.run.seq + 1, at=self.at, turn=turn, **fields))

    def say_aside(self, word: Callable[..., Settled], **fields: object) -> None:
        """Say an event that belongs to no turn."""
        self._add(word(seq=self.run.seq + 1, at=self.at, **fields))

    def remark(self, level: Level, code: str, message: str, data: object = None) -> None:
        """Say a notice."""
        self.say(Notice, level=level, code=code, message=message, data=data)

    def _add(self, event: Settled) -> None:
        self.events.append(event)
        self.run = evolve(self.run, event)
