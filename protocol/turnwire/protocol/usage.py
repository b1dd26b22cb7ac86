"""Token and money counts, where "not reported" is never zero."""

from __future__ import annotations

from turnwire.protocol.base import Word

__all__ = ["NOTHING_REPORTED", "Cost", "Usage", "add_usage"]


class Cost(Word, frozen=True, kw_only=True):
    """Money: ``amount`` in ``currency`` (ISO 4217), and the ``source`` of the figure."""

    amount: float
    currency: str
    source: str


class Usage(Word, frozen=True, kw_only=True):
    """Tokens of one request, or a sum of them. ``None`` means not reported.

    ``input``, ``cached`` and ``cache_write`` do not overlap; ``output`` includes ``reasoning``.
    """

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None
    cost: Cost | None = None


NOTHING_REPORTED = Usage()
"""The neutral element of :func:`add_usage`."""


def _sum(left: int | None, right: int | None) -> int | None:
    if left is None:
        return right
    return left if right is None else left + right


def _sum_cost(left: Cost | None, right: Cost | None) -> Cost | None:
    if left is None or right is None:
        return left or right
    if left.currency != right.currency:
        return None
    source = left.source if left.source == right.source else "mixed"
    return Cost(amount=left.amount + right.amount, currency=left.currency, source=source)


def add_usage(left: Usage, right: Usage) -> Usage:
    """Add two usages field by field; a figure that only one side reports is kept."""
    return Usage(
        input=_sum(left.input, right.input),
        cached=_sum(left.cached, right.cached),
        cache_write=_sum(left.cache_write, right.cache_write),
        output=_sum(left.output, right.output),
        reasoning=_sum(left.reasoning, right.reasoning),
        total=_sum(left.total, right.total),
        cost=_sum_cost(left.cost, right.cost),
    )
