"""The gate against a host that floods: refusals that nobody reads become one refusal of a range of lines.

Owns the count and the open range. What would be refused is the core's word.
"""

from __future__ import annotations

from collections.abc import Callable

from turnwire.runner.core.host_lines import refusal
from turnwire.runner.core.inputs import (
    HostLineRead,
    HostLineRefused,
    HostLinesOverrun,
    Input,
    ReaderCaughtUp,
)
from turnwire.runner.core.state import Run

__all__ = ["UNREAD_REFUSALS", "FloodGate"]

UNREAD_REFUSALS = 1_000
"""So many lines may wait unread before further refusals are told as a range (spec/answers.md)."""


class FloodGate:
    """Lets inputs through, and holds back refusals beyond what the host reads."""

    def __init__(self, unread: Callable[[], int]) -> None:
        """``unread`` says how many lines of stdout the host has not read."""
        self._unread = unread
        self._held: HostLinesOverrun | None = None

    @property
    def holds(self) -> bool:
        """Whether a range is open."""
        return self._held is not None

    def admit(self, run: Run, received: Input) -> list[Input]:
        """Give what is to be decided now, oldest first."""
        if self._is_refusal(run, received) and self._unread() >= UNREAD_REFUSALS:
            self._hold(received)
            return []
        if isinstance(received, HostLineRead | HostLineRefused | ReaderCaughtUp):
            return [*self.release(), received]
        return [received]

    def release(self) -> list[Input]:
        """Close the open range, if there is one."""
        held, self._held = self._held, None
        return [] if held is None else [held]

    def _is_refusal(self, run: Run, received: Input) -> bool:
        if isinstance(received, HostLineRead):
            return refusal(run, received.command) is not None
        return isinstance(received, HostLineRefused)

    def _hold(self, received: Input) -> None:
        assert isinstance(received, HostLineRead | HostLineRefused)
        first = received.line if self._held is None else self._held.first
        self._held = HostLinesOverrun(first=first, last=received.line)
