"""Rows: the units of work that a surface draws as a tree, each said again when it changes."""

from __future__ import annotations

import enum

from turnwire.protocol.base import UNSET, SettledEvent, UnsetType, Word
from turnwire.protocol.faults import WireError
from turnwire.protocol.usage import Usage

__all__ = ["Call", "DeniedBy", "Port", "Progress", "Result", "Row", "RowKind", "RowStatus"]


class RowKind(enum.StrEnum):
    """What kind of work a row is."""

    TURN = "turn"
    """One prompt and all that follows from it; the row's id is the turn's."""
    ROUND = "round"
    """One attempt of one model request."""
    TOOL = "tool"
    """One call; the row's id is the call's."""
    CHECK = "check"
    """One look of the completion gate."""
    AGENT = "agent"
    """A nested agent."""
    TASK = "task"
    """A task of a graph."""
    COMPACTION = "compaction"
    """The history being summarised."""


class RowStatus(enum.StrEnum):
    """How a row stands."""

    PENDING = "pending"
    """Known, not started."""
    RUNNING = "running"
    """Started."""
    WAITING = "waiting"
    """For a person or for a tool in the host."""
    DONE = "done"
    """Ended well."""
    FAILED = "failed"
    """Ended badly; ``error`` or ``result`` says how."""
    DENIED = "denied"
    """Not permitted, never started; ``denied_by`` says by whom."""
    CANCELLED = "cancelled"
    """Stopped, or never started, because the turn ended."""
    UNKNOWN_EFFECT = "unknown_effect"
    """Started, its end was not observed. Never run again."""


class DeniedBy(enum.StrEnum):
    """Who refused a call."""

    HUMAN = "human"
    """A person declined or cancelled."""
    GUARDRAIL = "guardrail"
    """A guardrail or a deny rule."""
    NO_ANSWERER = "no_answerer"
    """A person was needed and there is none."""
    CHANNEL_LOST = "channel_lost"
    """The answers descriptor ended."""
    DEADLINE = "deadline"
    """Nobody answered in time."""
    MEMORY = "memory"
    """The same call was refused earlier in this turn."""


class Port(enum.StrEnum):
    """Which stream of a row a delta belongs to."""

    TEXT = "text"
    """The model's answer."""
    REASONING = "reasoning"
    """The model's thoughts."""
    ARGUMENTS = "arguments"
    """The arguments of a proposed call, as they are written."""
    OUTPUT = "output"
    """What a tool prints while it runs."""
    PROGRESS = "progress"
    """A tool's own words on how far it is."""


class Call(Word, frozen=True, kw_only=True):
    """The call of a tool row. ``preview`` is bounded; the digest is of the whole arguments."""

    name: str
    preview: str
    arguments_sha256: str
    provider_call_id: str | UnsetType = UNSET


class Result(Word, frozen=True, kw_only=True):
    """What came of a tool row. ``chars`` is the true length before any cut; ``spill`` is the path of the
    whole where it was cut.
    """

    is_error: bool
    chars: int
    truncated: bool
    preview: str
    spill: str | UnsetType = UNSET


class Progress(Word, frozen=True, kw_only=True):
    """How far a row is: ``done`` of ``total`` in the row's own unit, and words for people."""

    message: str
    done: float | None = None
    total: float | None = None


class Row(SettledEvent, frozen=True, kw_only=True, tag="row"):
    """The first line for an ``id`` opens the row; a later one replaces the top-level fields that it carries,
    each whole; ``null`` clears. ``kind`` is a :class:`RowKind`; hosts draw unknown ones by their title. Times
    are milliseconds since the epoch.
    """

    id: str
    parent: str | UnsetType | None = UNSET
    kind: str | UnsetType = UNSET
    status: RowStatus | UnsetType = UNSET
    title: str | UnsetType | None = UNSET
    started_at: int | UnsetType | None = UNSET
    ended_at: int | UnsetType | None = UNSET
    call: Call | UnsetType | None = UNSET
    result: Result | UnsetType | None = UNSET
    usage: Usage | UnsetType | None = UNSET
    progress: Progress | UnsetType | None = UNSET
    error: WireError | UnsetType | None = UNSET
    denied_by: DeniedBy | UnsetType | None = UNSET
