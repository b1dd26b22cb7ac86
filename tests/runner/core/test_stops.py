"""Every way to stop: by a line, a signal, a lost reader, our own failure; in every state of a turn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.play import Play, call, fault, tool_ended

from turnwire.protocol.commands import Interrupt, Rewind, Steer
from turnwire.protocol.events import Answers, HumanClosed, Message, Notice, Refused
from turnwire.protocol.faults import Blame, WireError
from turnwire.protocol.people import ClosedBy, HumanRequest
from turnwire.runner.core.inputs import (
    Cleared,
    DeadlinePassed,
    Failed,
    HostGone,
    Input,
    PutToPerson,
    ReaderCaughtUp,
    Signal,
    Signalled,
)
from turnwire.runner.core.jobs import CatchUp
from turnwire.runner.core.ports import Finish, ToolEnd

INTERRUPT = Signalled(Signal.INTERRUPT)
FULL = Failed(WireError(code="session_unwritable", message="The disk is full.", fault=Blame.HOST))


def model_is_asked(play: Play) -> Play:
    return play.load()


def tool_runs(play: Play) -> Play:
    return play.load().reply("I will", call(), call()).clear("t1.c1", "t1.c2")


def person_is_asked(play: Play) -> Play:
    return play.load().reply(call(), call()).ask("t1.c1", "t1.c2")


def calls_are_reviewed(play: Play) -> Play:
    return play.load().reply(call(), call())


def next_try_is_awaited(play: Play) -> Play:
    return play.load().fail(fault())


STATES = [model_is_asked, tool_runs, person_is_asked, calls_are_reviewed, next_try_is_awaited]
everywhere = pytest.mark.parametrize("state", STATES)


def settle(play: Play) -> Play:
    """Let what runs say that it was stopped."""
    for job in play.jobs if play.run.turn else []:
        assert job.stop
        if job.key == "t1.r1":
            play.fail(fault(partial="half of"))
        else:
            play.take(tool_ended(job.key, "stopped", ToolEnd.CANCELLED))
    return play


@everywhere
def test_T19_an_interrupt_ends_the_turn_wherever_it_is(state: Callable[[Play], Play]) -> None:
    play = settle(state(Play(chat=True)).say(Interrupt()))
    assert (play.turn_end.status, play.turn_end.stopped_by) == ("interrupted", "interrupt")
    assert [type(one) for one in play.news[-1:]] == [HumanRequest]


@everywhere
def test_T18_the_model_has_spoken_last_after_an_interrupt(state: Callable[[Play], Play]) -> None:
    play = settle(state(Play(chat=True)).say(Interrupt()))
    assert play.roles in ("ua", "uatta")
    assert play.chat("go on").roles[-2:] == "au"


@everywhere
def test_T19_one_interrupt_signal_ends_a_run_of_one_prompt(state: Callable[[Play], Play]) -> None:
    play = settle(state(Play()).take(INTERRUPT))
    assert play.turn_end.status == "interrupted"
    assert play.finish().exit_code == 130


@pytest.mark.parametrize("state", [model_is_asked, tool_runs])
def test_T19_a_second_interrupt_waits_for_nothing(state: Callable[[Play], Play]) -> None:
    play = state(Play(chat=True)).take(INTERRUPT)
    assert play.run.turn is not None
    play.take(INTERRUPT)
    assert play.told()[-1] == "end"
    assert play.run.exit_code == 130


def test_T19_a_tool_that_was_given_up_has_an_unknown_effect() -> None:
    play = tool_runs(Play()).take(INTERRUPT).take(INTERRUPT)
    assert play.statuses("t1.c1") == ["pending", "running", "unknown_effect"]
    assert play.statuses("t1.c2")[-1] == "cancelled"
    assert "effect is unknown" in play.results()[0][1]
    assert "Not run" in play.results()[1][1]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (ToolEnd.CANCELLED, "cancelled"),
        (ToolEnd.LEFT_BEHIND, "unknown_effect"),
        (ToolEnd.DONE, "done"),
    ],
)
def test_T19_a_started_call_settles_as_it_ended(end: ToolEnd, status: str) -> None:
    play = tool_runs(Play()).say(Interrupt()).take(tool_ended("t1.c1", "half", end))
    assert play.statuses("t1.c1")[-1] == status
    assert play.results()[0] == ("t1.c1", "half")


def test_T19_the_text_so_far_is_kept_as_partial() -> None:
    play = model_is_asked(Play()).say(Interrupt()).fail(fault(partial="half of it"))
    said = play.last(Message)
    assert said.partial
    assert said.row == "t1.r1"
    assert play.turn_end.text == "half of it"
    assert play.statuses("t1.r1") == ["running", "cancelled"]


@pytest.mark.parametrize("partial", ["", " \n"])
def test_T19_before_any_text_nothing_is_partial(partial: str) -> None:
    play = model_is_asked(Play()).say(Interrupt()).fail(fault(partial=partial))
    assert play.turn_end.text == ""
    assert play.last(Message).row is None


def test_T19_a_reply_that_came_with_the_stop_is_kept() -> None:
    play = model_is_asked(Play()).say(Interrupt()).reply("all of it", call())
    assert play.roles == "uata"
    assert play.statuses("t1.c1") == ["pending", "cancelled"]
    assert play.turn_end.status == "interrupted"


@pytest.mark.parametrize("label", Finish)
def test_T19_a_stop_is_no_limit_whatever_the_label_says(label: Finish) -> None:
    play = model_is_asked(Play()).say(Interrupt()).reply("half", call(), finish=label)
    assert (play.turn_end.status, play.turn_end.stopped_by) == ("interrupted", "interrupt")


def test_T19_an_empty_reply_that_came_with_the_stop_is_none() -> None:
    play = model_is_asked(Play()).say(Interrupt()).reply()
    assert play.turn_end.status == "interrupted"
    assert play.roles == "ua"


@pytest.mark.parametrize("late", [Cleared("t1.c2"), PutToPerson("t1.c2", "Allow?", (), ())])
def test_T19_a_verdict_after_a_stop_changes_nothing(late: Input) -> None:
    play = Play().load().reply(call(), call()).clear("t1.c1").say(Interrupt()).take(late)
    assert play.news == []
    assert play.keys == ["t1.c1"]


def test_T19_steers_that_were_not_taken_are_given_back() -> None:
    play = tool_runs(Play()).say(Steer(text="faster")).say(Interrupt())
    assert settle(play).turn_end.untaken == ("faster",)


def test_C16_an_open_request_is_closed_as_interrupted() -> None:
    play = person_is_asked(Play(chat=True)).say(Interrupt(turn="t1"))
    assert [(one.id, one.action, one.by) for one in play.all(HumanClosed)] == [
        ("q1", None, ClosedBy.INTERRUPTED),
        ("q2", None, ClosedBy.INTERRUPTED),
    ]
    assert play.statuses("t1.c1")[-1] == "cancelled"
    assert play.turn_end.denials == 0
    assert play.answer("q1").last(Refused).code == "already_closed"


@pytest.mark.parametrize(
    ("signal", "stopped_by", "code"),
    [(Signal.TERMINATE, "terminate", 143), (Signal.HANGUP, "hangup", 129)],
)
@everywhere
def test_B20_a_signal_to_end_ends_a_chat_in_order(
    state: Callable[[Play], Play], signal: Signal, stopped_by: str, code: int
) -> None:
    play = settle(state(Play(chat=True)).take(Signalled(signal)))
    assert play.turn_end.stopped_by == stopped_by
    assert play.keys == ["catch-up"]
    assert play.finish().exit_code == code


def test_B20_two_signals_to_end_still_end_in_order() -> None:
    play = tool_runs(Play()).take(Signalled(Signal.TERMINATE)).take(Signalled(Signal.HANGUP))
    assert [job.stop for job in play.jobs] == [True]
    assert settle(play).finish().exit_code == 143


def test_B20_an_interrupt_after_a_signal_to_end_is_at_once() -> None:
    play = tool_runs(Play()).take(Signalled(Signal.TERMINATE)).take(INTERRUPT)
    assert play.run.exit_code == 143


def test_T19_an_interrupt_while_a_limit_stops_is_the_first() -> None:
    play = Play().load(max_seconds=1).reply(call()).clear("t1.c1")
    _, deadline = play.keys
    play.take(DeadlinePassed(deadline)).take(INTERRUPT)
    assert play.keys == ["t1.c1"]
    assert settle(play).turn_end.status == "interrupted"


def test_T19_between_turns_an_interrupt_ends_the_run() -> None:
    play = Play(chat=True).load().reply("one").take(INTERRUPT)
    assert play.last(HumanClosed).by == "run_ended"
    assert play.finish().exit_code == 130


def test_T19_a_signal_while_loading_ends_the_run() -> None:
    play = Play().take(INTERRUPT)
    assert [type(job) for job in play.jobs] == [CatchUp]
    assert play.load().told() == ["ready"]
    assert play.finish().exit_code == 130


def test_T19_a_signal_after_all_is_over_waits_no_longer() -> None:
    play = Play().load().reply("done").take(Signalled(Signal.TERMINATE))
    assert play.told() == ["end"]
    assert play.run.exit_code == 0


def test_T19_after_the_end_nothing_is_said() -> None:
    play = Play().load().reply("done")
    play.finish()
    for late in (INTERRUPT, FULL, HostGone("gone"), ReaderCaughtUp()):
        assert play.take(late).news == []


@everywhere
def test_B16_without_a_reader_the_run_ends(state: Callable[[Play], Play]) -> None:
    play = settle(state(Play(chat=True)).take(HostGone("hung up")))
    assert play.turn_end.status == "host_gone"
    assert play.take(HostGone("hung up")).news == []
    assert play.finish().exit_code == 74


@pytest.mark.parametrize("chat", [True, False])
def test_B16_the_first_end_of_a_run_says_how_it_ended(chat: bool) -> None:
    play = tool_runs(Play(chat=chat)).take(Signalled(Signal.TERMINATE)).take(HostGone("gone"))
    assert settle(play).finish().exit_code == 143


def test_B16_a_reader_that_goes_before_the_end_is_told() -> None:
    play = Play().load().reply("done").take(HostGone("gone"))
    assert play.finish().status == "host_gone"


@everywhere
def test_T19_our_own_failure_ends_everything_at_once(state: Callable[[Play], Play]) -> None:
    play = state(Play(chat=True)).take(FULL)
    assert play.turn_end.status == "error"
    assert play.run.exit_code == 6
    assert play.told()[-1] == "end"


def test_T19_a_run_that_cannot_start_says_why() -> None:
    error = WireError(code="usage", message="There is no such tool.", fault=Blame.HOST)
    play = Play(answers=Answers.NONE).take(Failed(error))
    assert play.told() == ["end"]
    assert play.run.exit_code == 2


def test_T19_a_failure_between_turns_closes_the_question() -> None:
    play = Play(chat=True).load(None).take(FULL)
    assert play.told() == ["human_closed", "end"]
    assert play.last(HumanClosed).by == "run_ended"


def test_T19_a_stop_is_said_once_for_a_run() -> None:
    play = tool_runs(Play())
    for signal in (Signal.TERMINATE, Signal.HANGUP, Signal.TERMINATE):
        play.take(Signalled(signal))
    assert [one.code for one in play.all(Notice)] == ["stopping"]


def test_T19_a_stopped_turn_takes_no_lines_of_its_own() -> None:
    play = tool_runs(Play()).say(Interrupt())
    for line in (Interrupt(), Steer(text="faster"), Rewind(to=None)):
        assert play.say(line).told() == ["refused"]
