"""The two shapes that every word of the protocol has: a settled event and a host line.

Owns the struct options and nothing else. Optional fields come in two kinds: ``| None`` is said as ``null``
where the protocol says that something is not known; ``| UnsetType`` is left out of the line.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

__all__ = ["UNSET", "HostLine", "SettledEvent", "UnsetType", "Word"]


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """A value inside a line: frozen, its fields known by name, unknown fields passed over."""


class SettledEvent(Word, frozen=True, kw_only=True, tag_field="type"):
    """An event that is logged and numbered: it happened, and a host may rely on it.

    ``seq`` counts 1, 2, 3 … without a gap over the life of the session. ``at`` is milliseconds since the
    epoch. ``turn`` names the turn that the event belongs to and is absent between turns.
    """

    seq: int
    at: int
    turn: str | UnsetType = UNSET


class HostLine(Word, frozen=True, kw_only=True, tag_field="type"):
    """A line that the host writes on the answers descriptor."""
