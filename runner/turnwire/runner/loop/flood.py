"""The gate against a host that floods: refusals that nobody reads become one refusal of a range of lines.

Owns the count and the open range. What would be refused is the core's word.
"""

from __future__ import annotations

from collections.abc import Callable

from turnwire.runner.core.host_lines import refusal
from turnwire.runner.core.inputs import HostLineRead, HostLineRefused, HostLinesOverrun, Input
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

    def admit(self, run: Run, received: Input) -> list[Input]:
        """Give what is to be decided now, oldest first. Whatever is no such refusal closes the open range, so
        that none is left at the end.
        """
        if (
            isinstance(received, HostLineRead | HostLineRefused)
            and _is_refused(run, received)
            and self._unread() >= UNREAD_REFUSALS
        ):
            first = received.line if self._held is None else self._held.first
            self._held = HostLinesOverrun(first=first, last=received.line)
            return []
        held, self._held = self._held, None
        return [received] if held is None else [held, received]


def _is_refused(run: Run, received: HostLineRead | HostLineRefused) -> bool:
    return isinstance(received, HostLineRefused) or refusal(run, received.command) is not None
