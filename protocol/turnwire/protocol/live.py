"""The text of what is still running, gathered from deltas and void once its row has settled.

Owns the pieces and their bound. Knows nothing of rows but their ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnwire.protocol.base import UNSET
from turnwire.protocol.rows import Port

if TYPE_CHECKING:
    from turnwire.protocol.events import Delta

__all__ = ["OUTPUT_TAIL", "LiveText"]

OUTPUT_TAIL = 100_000
"""At least this many characters of the end of what a tool prints are kept; it may never stop."""


class LiveText:
    """What has arrived of each port of each running row. Adding a piece takes constant time."""

    def __init__(self) -> None:
        self._ports: dict[str, dict[tuple[Port, int | None], list[str]]] = {}
        self._sizes: dict[str, int] = {}

    def add(self, delta: Delta) -> None:
        """Append ``delta``; a word on progress replaces the one before it."""
        index = None if delta.call_index is UNSET else delta.call_index
        pieces = self._ports.setdefault(delta.row, {}).setdefault((delta.port, index), [])
        if delta.port is Port.PROGRESS:
            pieces.clear()
        pieces.append(delta.text)
        if delta.port is Port.OUTPUT:
            self._bound(delta.row, pieces)

    def text(self, row: str, port: Port, call_index: int | None = None) -> str:
        """Give what has arrived so far, nothing once the row has settled."""
        return "".join(self._ports.get(row, {}).get((port, call_index), ()))

    def drop(self, row: str) -> None:
        """Forget a row: what it said is settled, or void."""
        self._ports.pop(row, None)
        self._sizes.pop(row, None)

    def clear(self) -> None:
        """Forget all: nothing is running any more."""
        self._ports.clear()
        self._sizes.clear()

    def _bound(self, row: str, pieces: list[str]) -> None:
        self._sizes[row] = self._sizes.get(row, 0) + len(pieces[-1])
        if self._sizes[row] > 2 * OUTPUT_TAIL:
            pieces[:] = ["".join(pieces)[-OUTPUT_TAIL:]]
            self._sizes[row] = OUTPUT_TAIL
