"""How long the reader of stdout is waited for: as long as it takes anything, or briefly after a signal.

A process that was told to end and whose reader sleeps must not stay for minutes.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio

__all__ = ["SHORT_SECONDS", "Patience", "Reader"]

SHORT_SECONDS = 2.0
"""How long a reader is waited for after a signal: what reads at all has taken its lines by then."""


class Reader(Protocol):
    """The reader of stdout, as those who wait for it know it."""

    async def drained(self) -> None:
        """Wait until it has everything, or is gone."""
        ...

    async def room(self) -> None:
        """Wait while too much waits for it."""
        ...


class Patience:
    """Waits for a reader, without a bound of its own until :meth:`lose` is called."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lost = False
        self._waiting: set[anyio.CancelScope] = set()

    async def drained(self) -> None:
        """Wait until the reader has everything, is gone, or is no longer waited for."""
        await self._wait(self._reader.drained)

    async def room(self) -> None:
        """Wait while too much waits for the reader, except on the way out, where little is still to come."""
        if not self._lost:
            await self._wait(self._reader.room)

    def lose(self) -> None:
        """Wait only briefly from now on."""
        if not self._lost:
            self._lost = True
            for scope in self._waiting:
                scope.deadline = self._deadline()

    async def _wait(self, ready: Callable[[], Awaitable[None]]) -> None:
        with anyio.CancelScope(deadline=self._deadline()) as scope:
            self._waiting.add(scope)
            try:
                await ready()
            finally:
                self._waiting.discard(scope)

    def _deadline(self) -> float:
        return anyio.current_time() + SHORT_SECONDS if self._lost else math.inf
