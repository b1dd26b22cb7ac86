"""A queue with room for so many bytes.

Owns the back-pressure of both directions and nothing else: what lies in it is somebody else's.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

import anyio
import anyio.lowlevel

__all__ = ["Closed", "Mailbox"]

Item = TypeVar("Item")


class Closed(Exception):
    """Nothing more will come, or nobody will take it."""


class Mailbox(Generic[Item]):
    """Items in order. It always takes one, however large; beyond ``room`` bytes one waits."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._items: deque[tuple[Item, int]] = deque()
        self._changed: anyio.Event | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._items)

    async def put(self, item: Item, size: int) -> None:
        """Wait for room and append. Closed: it was closed before there was any."""
        while self._items and self._used + size > self._room and not self._closed:
            await self._change()
        if self._closed:
            raise Closed
        self._items.append((item, size))
        self._used += size
        self._tell()

    async def take(self) -> Item:
        """Wait for an item. Closed: there is none left."""
        if not self._items:
            await anyio.lowlevel.checkpoint()
        while not self._items:
            if self._closed:
                raise Closed
            await self._change()
        item, size = self._items.popleft()
        self._used -= size
        self._tell()
        return item

    def close(self) -> None:
        """Take nothing more; what is in it can still be taken."""
        self._closed = True
        self._tell()

    def clear(self) -> None:
        """Throw away what is in it."""
        self._items.clear()
        self._used = 0
        self._tell()

    async def _change(self) -> None:
        if self._changed is None:
            self._changed = anyio.Event()
        await self._changed.wait()

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed = None
