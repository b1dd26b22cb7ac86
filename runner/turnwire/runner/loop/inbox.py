"""The inbox: the one way into the loop, in order.

Putting something in never waits, so that the lane of host lines is always read (spec/answers.md).
"""

from __future__ import annotations

from collections import deque

import anyio

from turnwire.runner.core.inputs import Input

__all__ = ["Inbox"]


class Inbox:
    """A queue of inputs with one reader."""

    def __init__(self) -> None:
        """Start empty."""
        self._waiting: deque[Input] = deque()
        self._news: anyio.Event | None = None

    def put(self, received: Input) -> None:
        """Add ``received`` at the end. Only from the thread of the loop."""
        self._waiting.append(received)
        if self._news is not None:
            self._news.set()

    async def take(self) -> Input:
        """Give the oldest input, waiting for one if there is none."""
        while not self._waiting:
            self._news = anyio.Event()
            await self._news.wait()
            self._news = None
        return self._waiting.popleft()
