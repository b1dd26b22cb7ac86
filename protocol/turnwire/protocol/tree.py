"""Rows as a tree: each row as its lines have made it, and who stands under whom.

Owns the upsert and the order of drawing. Knows no other event; ``view`` is the fold of them all.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from turnwire.protocol.base import UNSET
from turnwire.protocol.faults import WireError
from turnwire.protocol.rows import Call, DeniedBy, Progress, Result, Row, RowStatus
from turnwire.protocol.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["UNSETTLED", "RowState", "RowTree"]

UNSETTLED = frozenset({None, RowStatus.PENDING, RowStatus.RUNNING, RowStatus.WAITING})
"""A row that stands like this may still change; any other status is its end."""


class RowState(msgspec.Struct, frozen=True, kw_only=True):
    """A row as it stands now; ``None`` is what no line has said, or what one has cleared."""

    id: str
    turn: str | None = None
    parent: str | None = None
    kind: str | None = None
    status: RowStatus | None = None
    title: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    call: Call | None = None
    result: Result | None = None
    usage: Usage | None = None
    progress: Progress | None = None
    error: WireError | None = None
    denied_by: DeniedBy | None = None

    @property
    def settled(self) -> bool:
        """Say whether the row has come to its end."""
        return self.status not in UNSETTLED


_FIELDS = RowState.__struct_fields__


class RowTree:
    """All rows by id, in the order in which they were opened, and the tree that they form."""

    def __init__(self) -> None:
        self._rows: dict[str, RowState] = {}
        self._children: dict[str | None, dict[str, None]] = {}

    @property
    def rows(self) -> Mapping[str, RowState]:
        """All rows by id, in the order in which they were opened."""
        return MappingProxyType(self._rows)

    def upsert(self, line: Row) -> RowState:
        """Open the row of ``line``, or replace the fields that the line carries, each whole."""
        before = self._rows.get(line.id) or RowState(id=line.id)
        carried = {name: value for name in _FIELDS if (value := getattr(line, name)) is not UNSET}
        after = msgspec.structs.replace(before, **carried)
        if line.id not in self._rows or before.parent != after.parent:
            self._children.get(before.parent, {}).pop(line.id, None)
            self._children.setdefault(after.parent, {})[line.id] = None
        self._rows[line.id] = after
        return after

    def children(self, parent: str) -> tuple[RowState, ...]:
        """Give the rows right under ``parent``, in order."""
        return tuple(self._rows[child] for child in self._children.get(parent, ()))

    def walk(self) -> Iterator[tuple[int, RowState]]:
        """Give each row once, with its depth, in the order in which a tree is drawn.

        A row whose parent is not known is drawn as a root; so is the first of a circle.
        """
        seen: set[str] = set()
        roots = [row.id for row in self._rows.values() if row.parent not in self._rows]
        for root in (*roots, *self._rows):
            waiting = [(0, root)]
            while waiting:
                depth, current = waiting.pop()
                if current in seen:
                    continue
                seen.add(current)
                yield depth, self._rows[current]
                below = reversed(self._children.get(current, {}))
                waiting.extend((depth + 1, child) for child in below)
