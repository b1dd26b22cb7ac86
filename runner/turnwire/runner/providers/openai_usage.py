"""The token counts of a chat completion to the words of the wire. Pure.

Owns the names under which servers count. A figure that is missing or is no count stays "not
reported".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnwire.protocol.usage import NOTHING_REPORTED, Cost, Usage
from turnwire.runner.providers.foreign import as_object

__all__ = ["usage_of"]

_LARGEST = 2**53
"""The protocol's own integers stay exact in every language."""


def usage_of(reported: Mapping[str, Any]) -> Usage:
    """Translate a ``usage`` object. ``prompt_tokens`` includes what was read from and written to a
    cache, so those are taken out of ``input``; ``completion_tokens`` includes reasoning, as
    ``output`` does.
    """
    if not reported:
        return NOTHING_REPORTED
    prompt = as_object(reported.get("prompt_tokens_details"))
    completion = as_object(reported.get("completion_tokens_details"))
    cached = _count(prompt.get("cached_tokens"))
    if cached is None:
        # DeepSeek's own name for it.
        cached = _count(reported.get("prompt_cache_hit_tokens"))
    cache_write = _count(prompt.get("cache_write_tokens"))
    return Usage(
        input=_without(_count(reported.get("prompt_tokens")), (cached or 0) + (cache_write or 0)),
        cached=cached,
        cache_write=cache_write,
        output=_count(reported.get("completion_tokens")),
        reasoning=_count(completion.get("reasoning_tokens")),
        total=_count(reported.get("total_tokens")),
        cost=_cost(reported.get("cost")),
    )


def _without(all_input: int | None, from_cache: int) -> int | None:
    """A server that counts the cached ones apart reports fewer in all than cached."""
    if all_input is None or from_cache > all_input:
        return all_input
    return all_input - from_cache


def _count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _LARGEST else None


def _cost(value: object) -> Cost | None:
    """OpenRouter's ``cost`` is in its credits, which are US dollars."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return (
        Cost(amount=float(value), currency="USD", source="provider") if 0 <= value < 1e9 else None
    )
