"""How long the reader of stdout is waited for: as long as it takes anything, or briefly after a signal.

A process that was told to end and whose reader sleeps must not stay for minutes.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

import anyio

__all__ = ["SHORT_SECONDS", "Patience"]

SHORT_SECONDS = 2.0
"""How long a reader is waited for after a signal: what reads at all has taken its lines by then."""


class Patience:
    """Waits for the reader, without a bound of its own until :meth:`lose` is called."""

    def __init__(self, drained: Callable[[], Awaitable[None]]) -> None:
        """``drained`` waits until the reader of stdout has everything, or is gone."""
        self._drained = drained
        self._lost = False
        self._waiting: set[anyio.CancelScope] = set()

    async def drained(self) -> None:
        """Wait until the reader has everything, is gone, or is no longer waited for."""
        with anyio.CancelScope(deadline=self._deadline()) as scope:
            self._waiting.add(scope)
            try:
                await self._drained()
            finally:
                self._waiting.discard(scope)

    def lose(self) -> None:
        """Wait only briefly from now on."""
        if not self._lost:
            self._lost = True
            for scope in self._waiting:
                scope.deadline = self._deadline()

    def _deadline(self) -> float:
        return anyio.current_time() + SHORT_SECONDS if self._lost else math.inf
