"""Pure figures and words of the core that stand on their own."""

from __future__ import annotations

import math

import pytest
from support.play import fault

from turnwire.runner.core.ports import ToolContext
from turnwire.runner.core.retrying import LONGEST_WAIT_SECONDS, wait_before_retry
from turnwire.runner.core.shortening import shortened
from turnwire.runner.core.state import Run
from turnwire.runner.core.telling import Telling


@pytest.mark.parametrize(("tries", "seconds"), [(1, 0.5), (2, 1.0), (3, 2.0), (4, None)])
def test_A61_waits_double_and_come_to_an_end(tries: int, seconds: float | None) -> None:
    assert wait_before_retry(fault(), tries) == seconds


@pytest.mark.parametrize("seconds", [LONGEST_WAIT_SECONDS + 0.1, math.inf, math.nan])
def test_A61_a_wait_beyond_the_longest_is_none(seconds: float) -> None:
    assert wait_before_retry(fault(wait_seconds=seconds), 1) is None


def test_A61_the_named_wait_does_not_add_tries() -> None:
    assert wait_before_retry(fault(wait_seconds=1.0), 4) is None


def test_B2_words_are_cut_once_and_marked() -> None:
    assert shortened("12345", 5) == "12345"
    assert shortened("123456", 5) == "12345… [cut here: 6 characters in all]"


def test_R6_a_call_that_nobody_stops_is_wanted() -> None:
    silent = {"output": print, "progress": print, "stopped": print}
    context = ToolContext(call="t1.c1", turn="t1", cwd="/", **silent)  # type: ignore[arg-type]
    assert not context.cancelled()


def test_a_turn_is_not_made_up() -> None:
    with pytest.raises(LookupError, match="no turn"):
        _ = Telling(Run(), 0).turn
