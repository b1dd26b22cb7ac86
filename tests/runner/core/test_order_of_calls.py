"""The calls of one reply: reviewed and asked about together, run one at a time and in order."""

from __future__ import annotations

from support.play import Play, call

from turnwire.protocol.people import Action, HumanRequest
from turnwire.runner.core.inputs import Cleared
from turnwire.runner.core.jobs import AskPerson, Review, RunTool


def two_asked() -> Play:
    return Play().load().reply(call("a"), call("b")).ask("t1.c1", "t1.c2")


def running(play: Play) -> list[str]:
    return [job.key for job in play.jobs if isinstance(job, RunTool)]


def test_T10_the_calls_of_a_reply_are_reviewed_together() -> None:
    play = Play().load().reply(call("a", '{"p":1}'), call("b", invalid="no JSON"))
    first, second = play.jobs
    assert isinstance(first, Review)
    assert isinstance(second, Review)
    assert (first.call, first.name, first.arguments) == ("t1.c1", "a", b'{"p":1}')
    assert (second.call, second.turn, second.invalid) == ("t1.c2", "t1", "no JSON")


def test_T10_both_are_asked_about_at_once() -> None:
    play = two_asked()
    assert [job.key for job in play.jobs if isinstance(job, AskPerson)] == ["q1", "q2"]
    assert [request.row for request in play.all(HumanRequest)] == ["t1.c1", "t1.c2"]


def test_T10_the_second_runs_only_after_the_first() -> None:
    play = two_asked().answer("q2")
    assert running(play) == []
    assert running(play.answer("q1")) == ["t1.c1"]
    assert running(play.ran("t1.c1")) == ["t1.c2"]
    assert [one for one, _ in play.ran("t1.c2").results()] == ["t1.c1", "t1.c2"]


def test_T10_a_cleared_call_waits_for_an_earlier_question() -> None:
    play = Play().load().reply(call("a"), call("b")).ask("t1.c1").clear("t1.c2")
    assert running(play) == []
    assert play.statuses("t1.c2") == ["pending", "pending"]
    assert running(play.answer("q1", Action.DECLINE)) == ["t1.c2"]


def test_T10_a_verdict_on_a_running_call_changes_nothing() -> None:
    play = Play().load().reply(call()).clear("t1.c1")
    assert play.take(Cleared("t1.c1")).news == []


def test_C13_one_of_two_denied_gives_one_next_request() -> None:
    play = Play().load().reply(call("a"), call("b"), call("c"))
    play.ask("t1.c1", "t1.c2").clear("t1.c3")
    play.answer("q2", Action.DECLINE, reason="too risky").answer("q1")
    play.ran("t1.c1", "t1.c3")
    assert [one for one, _ in play.results()] == ["t1.c1", "t1.c2", "t1.c3"]
    assert "too risky" in play.results()[1][1]
    assert play.keys == ["t1.r2"]


def test_C13_the_arguments_that_run_are_those_reviewed() -> None:
    play = Play().load().reply(call("a", '{"p":1}')).clear("t1.c1")
    (job,) = play.jobs
    assert isinstance(job, RunTool)
    assert (job.key, job.turn, job.name, job.arguments) == ("t1.c1", "t1", "a", b'{"p":1}')
