"""How a run begins: the first line, and the line that says that all is loaded.

Owns what these two carry: where answers come in, the limits of the wire, the tools and the budget.
"""

from __future__ import annotations

import enum

from turnwire.protocol.base import SettledEvent, Word

__all__ = [
    "Answers",
    "Approval",
    "Budget",
    "Completion",
    "Hello",
    "Limits",
    "OnUnanswered",
    "Ready",
    "Runner",
    "ToolListing",
]


class Answers(enum.StrEnum):
    """Where a person's answers come in."""

    NONE = "none"
    """Nowhere: nobody can answer."""
    FD = "fd"
    """``--answers-fd``."""
    STDIN = "stdin"
    """``--answers-stdin``."""


class OnUnanswered(enum.StrEnum):
    """What happens to a turn that needs a person and has none."""

    DENY = "deny"
    """The call is refused and the turn goes on."""
    SUSPEND = "suspend"
    """The turn is saved and ends as ``pending``."""


class Approval(enum.StrEnum):
    """Whether reach is put to a person."""

    ASK = "ask"
    """Calls that reach beyond inference are put to a person."""
    NEVER = "never"
    """Reach asks nobody; only rules and guardrails do."""


class Runner(Word, frozen=True, kw_only=True):
    """The program behind the child."""

    name: str
    version: str
    pid: int


class Limits(Word, frozen=True, kw_only=True):
    """Sizes in bytes and a wait in seconds; 0 is no limit for ``line_bytes`` and for ever for the stall."""

    line_bytes: int = 65_536
    answer_bytes: int = 4_194_304
    host_stall_seconds: float = 300


class Hello(SettledEvent, frozen=True, kw_only=True, tag="hello"):
    """The first line. What is not known, because the arguments were bad, is null."""

    protocol: str
    schema_sha256: str
    runner: Runner
    session: str | None
    resumed: bool | None
    answers: Answers | None
    on_unanswered: OnUnanswered | None
    approval: Approval | None
    limits: Limits
    cwd: str | None


class ToolListing(Word, frozen=True, kw_only=True):
    """A tool as ``ready`` lists it: ``asks`` says whether reach or a flag puts its calls to a person."""

    name: str
    source: str
    reach: tuple[str, ...]
    asks: bool


class Completion(Word, frozen=True, kw_only=True):
    """The completion gate: its kind and how many attempts it allows."""

    kind: str
    max_attempts: int


class Budget(Word, frozen=True, kw_only=True):
    """The limits of each turn; null is none, 0 is nothing at all. Seconds do not count waits for a person."""

    max_rounds: int | None = None
    max_tokens: int | None = None
    max_tool_calls: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    max_identical_calls: int | None = None


class Ready(SettledEvent, frozen=True, kw_only=True, tag="ready"):
    """All is loaded; the first turn may start."""

    model: str
    tools: tuple[ToolListing, ...]
    guardrails: tuple[str, ...]
    completion: Completion | None
    budget: Budget
