"""Sums of tokens and money, where what nobody reported stays unknown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnwire.protocol.usage import NOTHING_REPORTED, Cost, Usage, add_usage

counts = st.none() | st.integers(0, 10**9)
costs = st.none() | st.builds(
    Cost,
    amount=st.integers(0, 1000).map(float),
    currency=st.just("USD"),
    source=st.sampled_from(["provider", "table"]),
)
usages = st.builds(Usage, input=counts, cached=counts, output=counts, total=counts, cost=costs)


def dollars(amount: float, source: str = "provider", currency: str = "USD") -> Usage:
    return Usage(cost=Cost(amount=amount, currency=currency, source=source))


def test_S3_figures_add_up_and_unknown_stays_unknown() -> None:
    left = Usage(input=10, cached=4, output=3, reasoning=1, total=17)
    right = Usage(input=1, cache_write=2, output=1, total=4)
    assert add_usage(left, right) == (
        Usage(input=11, cached=4, cache_write=2, output=4, reasoning=1, total=21)
    )
    assert add_usage(NOTHING_REPORTED, NOTHING_REPORTED) == Usage()


def test_S3_a_reported_zero_is_not_unknown() -> None:
    assert add_usage(Usage(cached=0), Usage()).cached == 0


def test_S3_costs_of_one_currency_add_up() -> None:
    assert add_usage(dollars(1.5), dollars(0.25)) == dollars(1.75)
    assert add_usage(dollars(1), dollars(1, source="table")) == dollars(2, source="mixed")
    assert add_usage(dollars(1), Usage()) == dollars(1) == add_usage(Usage(), dollars(1))


def test_S3_costs_of_two_currencies_are_unknown() -> None:
    assert add_usage(dollars(1), dollars(1, currency="EUR")).cost is None


@given(usages, usages, usages)
def test_S3_the_order_of_requests_does_not_matter(a: Usage, b: Usage, c: Usage) -> None:
    assert add_usage(a, b) == add_usage(b, a)
    assert add_usage(add_usage(a, b), c) == add_usage(a, add_usage(b, c))
    assert add_usage(a, NOTHING_REPORTED) == a
