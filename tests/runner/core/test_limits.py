"""Limits: each binds before the next spend, names itself, keeps the work, and is never `done`."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import SECOND, Play, call, fault

from turnwire.protocol.commands import Steer
from turnwire.protocol.people import Action, HumanRequest
from turnwire.protocol.usage import Cost, Usage
from turnwire.runner.core.inputs import DeadlinePassed
from turnwire.runner.core.jobs import RunTool, WatchDeadline


def rounds(play: Play, count: int, **more: str) -> Play:
    """Let the model ask for the same call in ``count`` rounds."""
    for _ in range(count):
        play.reply(call()).clear(*review_of(play)).ran(*running(play), **more)
    return play


def review_of(play: Play) -> list[str]:
    return [key.removesuffix(".review") for key in play.keys if key.endswith(".review")]


def running(play: Play) -> list[str]:
    return [job.key for job in play.jobs if isinstance(job, RunTool)]


def deadlines(play: Play) -> list[int]:
    return [job.until for job in play.jobs if isinstance(job, WatchDeadline)]


def stopped_by(play: Play) -> str | None:
    assert play.turn_end.status == "incomplete"
    assert play.finish().exit_code == 5
    return play.turn_end.stopped_by


def test_T13_when_rounds_run_out_every_call_has_its_result() -> None:
    play = rounds(Play().load(max_rounds=2), 2)
    assert stopped_by(play) == "max_rounds"
    assert play.turn_end.rounds == 2
    assert play.roles == "uatata"
    assert len(play.results()) == 2


def test_T13_the_last_answer_within_the_rounds_is_done() -> None:
    play = rounds(Play().load(max_rounds=2), 1).reply("done")
    assert play.turn_end.status == "done"


def test_T13_a_steer_that_no_round_is_left_for_is_given_back() -> None:
    play = Play().load(max_rounds=1).say(Steer(text="and now?")).reply("done")
    assert stopped_by(play) == "max_rounds"
    assert play.turn_end.untaken == ("and now?",)
    assert play.roles == "ua"


@pytest.mark.parametrize(
    ("limit", "name"),
    [
        ({"max_rounds": 0}, "max_rounds"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"max_cost": 0.0}, "max_cost"),
    ],
)
def test_U4_zero_means_not_even_one_request(limit: dict[str, Any], name: str) -> None:
    play = Play().load(**limit)
    assert stopped_by(play) == name
    assert play.turn_end.rounds == 0
    assert play.roles == "ua"


def test_U4_with_no_calls_allowed_nobody_is_asked() -> None:
    play = Play().load(max_tool_calls=0).reply(call())
    assert stopped_by(play) == "max_tool_calls"
    assert play.all(HumanRequest) == []
    assert play.statuses("t1.c1") == ["pending", "cancelled"]


def test_U1_calls_beyond_the_limit_do_not_run() -> None:
    play = Play().load(max_tool_calls=1).reply(call(), call()).clear("t1.c2", "t1.c1")
    play.ran("t1.c1")
    assert stopped_by(play) == "max_tool_calls"
    assert play.results()[1][1] == "Not run: the turn reached a limit (max_tool_calls)."


def test_U1_a_call_that_is_cleared_too_late_does_not_run() -> None:
    play = Play().load(max_tool_calls=1).reply(call(), call()).clear("t1.c1").ran("t1.c1")
    assert stopped_by(play.clear("t1.c2")) == "max_tool_calls"
    assert "running" not in play.statuses("t1.c2")


def test_U1_refused_calls_do_not_count_as_run() -> None:
    play = Play().load(max_tool_calls=1).reply(call("a"), call("b"), call("c"))
    play.reject("t1.c1").ask("t1.c2").answer("q1", Action.DECLINE).clear("t1.c3").ran("t1.c3")
    assert play.reply("done").turn_end.status == "done"


def test_U1_a_limit_reached_by_the_last_call_lets_the_model_answer() -> None:
    play = rounds(Play().load(max_tool_calls=1), 1).reply("done")
    assert play.turn_end.status == "done"


@pytest.mark.parametrize(
    "usage", [Usage(total=10), Usage(input=6, output=4), Usage(input=1, cached=9, total=3)]
)
def test_U1_tokens_bind_however_they_are_reported(usage: Usage) -> None:
    play = Play().load(max_tokens=10).reply(call(), usage=usage).clear("t1.c1").ran("t1.c1")
    assert stopped_by(play) == "max_tokens"


def test_U1_money_binds_before_the_next_request() -> None:
    paid = Usage(cost=Cost(amount=0.02, currency="USD", source="provider"))
    play = Play().load(max_cost=0.02).reply(call(), usage=paid).clear("t1.c1").ran("t1.c1")
    assert stopped_by(play) == "max_cost"


def test_U5_what_a_failed_try_cost_is_charged() -> None:
    play = Play().load(max_tokens=10).fail(fault(usage=Usage(total=10))).wait()
    assert stopped_by(play) == "max_tokens"
    assert play.turn_end.usage == Usage(total=10)


def test_U1_seconds_bind_while_a_tool_runs() -> None:
    play = Play().load(max_seconds=5).reply("I run it.", call()).clear("t1.c1")
    assert deadlines(play) == [1 + 5 * SECOND]
    play.take(DeadlinePassed(play.keys[-1]))
    assert [(job.key, job.stop) for job in play.jobs] == [("t1.c1", True)]
    assert stopped_by(play.ran("t1.c1")) == "max_seconds"
    assert play.turn_end.text == "I run it."


def test_U1_seconds_bind_between_rounds_without_a_watch() -> None:
    play = Play().load(max_seconds=5).reply(call()).clear("t1.c1")
    play.at = 5 * SECOND
    assert stopped_by(play.ran("t1.c1")) == "max_seconds"


def test_U2_waiting_for_a_person_stops_the_clock() -> None:
    play = Play().load(max_seconds=5).reply(call()).ask("t1.c1")
    assert deadlines(play) == []
    asked_at, play.at = play.at, 3_600 * SECOND
    play.answer("q1")
    assert deadlines(play) == [1 + 5 * SECOND + play.at - asked_at]


def test_U2_a_deadline_that_was_moved_is_not_the_old_one() -> None:
    play = Play().load(max_seconds=5).reply(call())
    old = play.keys[-1]
    play.ask("t1.c1").answer("q1")
    assert play.take(DeadlinePassed(old)).news == []
    assert deadlines(play) == [1 + 5 * SECOND + 1]


def test_U2_the_clock_runs_while_something_else_runs() -> None:
    play = Play().load(max_seconds=5).reply(call(), call()).clear("t1.c1").ask("t1.c2")
    assert deadlines(play) == [1 + 5 * SECOND]
    play.ran("t1.c1")
    assert deadlines(play) == []


def test_U2_the_clock_runs_while_a_sibling_is_reviewed() -> None:
    play = Play().load(max_seconds=5).reply(call(), call()).ask("t1.c1")
    assert deadlines(play) == [1 + 5 * SECOND]


def test_U3_a_stop_keeps_the_partial_work() -> None:
    play = rounds(Play().load(max_rounds=1), 1)
    assert play.turn_end.messages == len(play.run.messages) == 4
    assert play.run.messages[-1].content[0].text == (  # type: ignore[union-attr]
        "(No answer: the turn reached a limit (max_rounds).)"
    )


def test_T20_the_same_call_with_the_same_result_is_stuck() -> None:
    play = rounds(Play().load(max_identical_calls=3), 3)
    assert stopped_by(play) == "stuck"
    assert play.turn_end.rounds == 3


def test_T20_a_polling_loop_whose_results_change_goes_on() -> None:
    play = Play().load(max_identical_calls=2)
    for number in range(5):
        rounds(play, 1, text=f"{number} of 5")
    assert play.reply("done").turn_end.status == "done"


def test_T20_other_arguments_are_another_call() -> None:
    play = Play().load(max_identical_calls=2)
    for number in range(4):
        play.reply(call("read", f'{{"p":{number % 2}}}')).clear(*review_of(play))
        play.ran(*running(play))
    assert play.reply("done").turn_end.status == "done"


def test_T20_C19_denied_calls_count_as_stuck() -> None:
    play = Play().load(max_identical_calls=3).reply(call()).ask("t1.c1")
    play.answer("q1", Action.DECLINE).reply(call()).reply(call())
    assert stopped_by(play) == "stuck"
    assert [one.id for one in play.all(HumanRequest)] == ["q1"]
    assert play.turn_end.denials == 3


def test_T20_without_the_limit_nothing_is_stuck() -> None:
    assert rounds(Play().load(), 9).reply("done").turn_end.status == "done"
