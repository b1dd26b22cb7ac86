"""Token counts: nothing is counted twice, and what is not said is not zero."""

from __future__ import annotations

from typing import Any

import pytest

from turnwire.protocol.usage import Cost, Usage
from turnwire.runner.providers.openai_usage import usage_of


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({}, Usage()),
        ({"prompt_tokens": 3, "completion_tokens": 1}, Usage(input=3, output=1)),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
                "completion_tokens_details": {"reasoning_tokens": 15},
            },
            Usage(input=30, cached=60, cache_write=10, output=20, reasoning=15, total=120),
        ),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, Usage(input=5, cached=4)),
        (
            {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 0}},
            Usage(input=9, cached=0),
        ),
        (
            {"prompt_tokens": 4, "prompt_tokens_details": {"cached_tokens": 9}},
            Usage(input=4, cached=9),
        ),
        ({"cost": 0.0125}, Usage(cost=Cost(amount=0.0125, currency="USD", source="provider"))),
    ],
)
def test_S3_cached_and_written_tokens_are_not_input(reported: Any, usage: Usage) -> None:
    assert usage_of(reported) == usage


@pytest.mark.parametrize("count", ["3", -1, True, 1.5, 2**60, None, [], float("nan")])
def test_S3_what_is_no_count_is_not_reported(count: object) -> None:
    reported = {"prompt_tokens": count, "cost": count, "prompt_tokens_details": count}
    assert usage_of({**reported, "cost": "x"}) == Usage()


def test_counts_written_as_floats_are_counts() -> None:
    assert usage_of({"prompt_tokens": 3.0}) == Usage(input=3)
