"""The completion gate: when it looks, what the model is told, and which end a turn has."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import Play, call, fault, looked

from turnwire.protocol.commands import Interrupt, Steer
from turnwire.protocol.messages import text_of
from turnwire.protocol.rows import Result, Row
from turnwire.protocol.usage import Usage
from turnwire.runner.core.inputs import DeadlinePassed, Signal, Signalled
from turnwire.runner.core.jobs import CheckCompletion
from turnwire.runner.core.ports import Finish, ToolEnd


def gated(attempts: int = 3, **budget: Any) -> Play:
    """A turn whose model has claimed that it is done."""
    return Play().load(attempts=attempts, **budget).reply("It is done.")


def failed(play: Play, text: str = "1 failed") -> Play:
    assert play.run.turn is not None
    assert play.run.turn.check is not None
    return play.take(looked(play.run.turn.check, text, passed=False))


def test_K1_done_is_looked_at_before_it_is_said() -> None:
    play = gated()
    [job] = play.jobs
    assert job == CheckCompletion(key="t1.k1", turn="t1", attempt=1)
    assert "turn_end" not in play.told()
    play.take(looked("t1.k1"))
    assert play.statuses("t1.k1") == ["running", "done"]
    assert (play.turn_end.status, play.turn_end.attempts) == ("done", 1)
    assert play.finish().exit_code == 0


def test_K1_without_a_gate_nothing_looks() -> None:
    play = Play().load().reply("It is done.")
    assert (play.turn_end.status, play.turn_end.attempts) == ("done", 0)


def test_K1_the_gate_looks_at_no_other_ending() -> None:
    assert gated_ending(Play().load(attempts=2).reply("Half of", finish=Finish.LENGTH))
    assert gated_ending(Play().load(attempts=2).fail(fault(retryable=False)))
    assert gated_ending(Play().load(attempts=2, max_rounds=0))


def gated_ending(play: Play) -> bool:
    return play.turn_end.attempts == 0 and play.turn_end.status != "done"


def test_K2_work_that_did_not_pass_is_sent_back_once_with_the_reason() -> None:
    play = failed(gated(), "2 failed, 1 passed")
    assert play.roles == "uau"
    told = text_of(play.run.messages[-1])
    assert "attempt 1 of 3" in told and "2 failed, 1 passed" in told
    [_, row] = [row for row in play.all(Row) if row.id == "t1.k1"]
    assert row.status == "failed" and isinstance(row.result, Result)
    assert row.result.is_error and row.result.preview == "2 failed, 1 passed"
    assert play.keys == ["t1.r2"]
    play.reply("Now it is.").take(looked("t1.k2"))
    assert (play.turn_end.status, play.turn_end.attempts) == ("done", 2)
    assert play.turn_end.text == "It is done.\n\nNow it is."


def test_K2_T18_a_model_that_had_nothing_to_say_is_given_words_before_the_users() -> None:
    play = Play().load(attempts=2).reply(call("write")).clear("t1.c1").ran("t1.c1").reply("  ")
    failed(play)
    assert play.roles == "uatau"
    assert text_of(play.run.messages[-2]) == "(No answer.)"


def test_K5_used_up_attempts_are_incomplete_with_the_models_own_words() -> None:
    play = failed(gated(attempts=2))
    failed(play.reply("Truly done."))
    end = play.turn_end
    assert (end.status, end.stopped_by, end.attempts) == ("incomplete", "completion", 2)
    assert end.text == "It is done.\n\nTruly done."
    assert play.roles == "uaua"
    assert play.finish().exit_code == 5


def test_K5_a_steer_does_not_reopen_what_has_failed_for_good() -> None:
    play = gated(attempts=1).say(Steer(text="be quick"))
    failed(play)
    assert play.turn_end.stopped_by == "completion"
    assert play.turn_end.untaken == ("be quick",)


def test_K2_T18_a_steer_during_a_look_that_fails_is_taken_with_the_reason() -> None:
    play = failed(gated().say(Steer(text="and the docs")))
    assert play.roles == "uau"
    told = text_of(play.run.messages[-1])
    assert "1 failed" in told and told.endswith("\n\nand the docs")


def test_K1_a_steer_during_the_look_is_taken_and_its_work_looked_at_again() -> None:
    play = gated().say(Steer(text="and the docs")).take(looked("t1.k1"))
    assert play.keys == ["t1.r2"]
    play.reply("The docs too.")
    assert play.keys == ["t1.k2"]
    play.take(looked("t1.k2"))
    assert play.turn_end.status == "done"


def test_K7_a_limit_goes_before_the_gate() -> None:
    play = failed(gated(max_rounds=1))
    end = play.turn_end
    assert (end.status, end.stopped_by, end.attempts) == ("incomplete", "max_rounds", 1)
    assert play.statuses("t1.k1") == ["running", "failed"]
    assert play.roles == "uaua"


@pytest.mark.parametrize(
    ("end", "status"),
    [(ToolEnd.CANCELLED, "cancelled"), (ToolEnd.LEFT_BEHIND, "unknown_effect")],
)
def test_K7_T19_an_interrupt_stops_the_look(end: ToolEnd, status: str) -> None:
    play = gated().say(Interrupt())
    [job] = play.jobs
    assert job.stop and job.key == "t1.k1"
    play.take(looked("t1.k1", end=end))
    assert play.statuses("t1.k1") == ["running", status]
    assert play.turn_end.status == "interrupted"


def test_K7_a_look_that_failed_while_it_was_stopped_sends_nothing_back() -> None:
    play = gated().say(Interrupt())
    failed(play)
    assert (play.turn_end.status, play.roles) == ("interrupted", "ua")


def test_K7_a_second_signal_does_not_wait_for_the_look() -> None:
    play = gated()
    play.take(Signalled(Signal.INTERRUPT)).take(Signalled(Signal.INTERRUPT))
    assert play.statuses("t1.k1") == ["running", "unknown_effect"]
    assert play.turn_end.status == "interrupted"


def test_K7_U6_the_clock_runs_while_the_gate_looks() -> None:
    play = gated(max_seconds=9)
    deadline = next(key for key in play.keys if ".deadline." in key)
    play.take(DeadlinePassed(deadline)).take(looked("t1.k1", end=ToolEnd.CANCELLED))
    assert play.turn_end.stopped_by == "max_seconds"


def test_K8_one_budget_covers_all_attempts() -> None:
    used = Usage(input=6, total=6)
    play = Play().load(attempts=3, max_tokens=10).reply("Done.", usage=used)
    failed(play)
    play.reply("Done again.", usage=used)
    failed(play)
    assert play.turn_end.stopped_by == "max_tokens"
    assert play.turn_end.usage.total == 12


def test_K1_a_verdict_on_no_open_look_changes_nothing() -> None:
    play = gated()
    before = play.run
    assert play.take(looked("t1.k2")).run == before
