"""The limits of a turn and whether one of them is reached (U1–U6). Pure figures, no clock of its own."""

from __future__ import annotations

from turnwire.protocol.endings import StoppedBy
from turnwire.protocol.events import Budget
from turnwire.protocol.usage import Usage
from turnwire.runner.core.state import Turn

__all__ = ["call_limit", "deadline", "round_limit"]


def deadline(turn: Turn, budget: Budget) -> int | None:
    """When the turn's time is up, in milliseconds since the epoch; None without a limit, and while the clock
    stands still because a person is waited for (U2).
    """
    if budget.max_seconds is None or turn.waiting_since is not None:
        return None
    return turn.started_at + turn.waited + round(budget.max_seconds * 1000)


def round_limit(turn: Turn, budget: Budget, at: int) -> StoppedBy | None:
    """Which limit forbids another model request, if any."""
    until = deadline(turn, budget)
    cost = turn.usage.cost
    reached = (
        (StoppedBy.MAX_ROUNDS, _reached(turn.rounds, budget.max_rounds)),
        (StoppedBy.MAX_TOKENS, _reached(_tokens(turn.usage), budget.max_tokens)),
        (StoppedBy.MAX_COST, _reached(0.0 if cost is None else cost.amount, budget.max_cost)),
        (StoppedBy.MAX_SECONDS, until is not None and at >= until),
        (StoppedBy.STUCK, _reached(turn.same.times, budget.max_identical_calls)),
    )
    return next((limit for limit, is_reached in reached if is_reached), None)


def call_limit(turn: Turn, budget: Budget) -> StoppedBy | None:
    """Which limit forbids running another call, if any."""
    return StoppedBy.MAX_TOOL_CALLS if _reached(turn.ran, budget.max_tool_calls) else None


def _tokens(usage: Usage) -> int:
    """Count what was reported; not every server adds it up."""
    parts = (usage.input, usage.cached, usage.cache_write, usage.output)
    return max(usage.total or 0, sum(part or 0 for part in parts))


def _reached(used: float, limit: float | None) -> bool:
    return limit is not None and used >= limit
