"""Every line of the host is answered once; a refused one changes nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.play import Play, call

from turnwire.protocol.commands import (
    Answer,
    Command,
    Interrupt,
    Rewind,
    Shutdown,
    Steer,
    ToolProgress,
    ToolResultLine,
)
from turnwire.protocol.events import Accepted, Notice, RefusalCode, Refused, Rewound
from turnwire.protocol.people import Action
from turnwire.runner.core import notices
from turnwire.runner.core.host_lines import refusal
from turnwire.runner.core.inputs import DeltasDropped, HostLineRefused, HostLinesOverrun, Remarked


def chat_of_two_turns() -> Play:
    return Play(chat=True).load("one").reply("1").chat("two").reply("2")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (ToolResultLine(id="t1.c1", content="ok"), "unknown_id"),
        (ToolProgress(id="t1.c1", text="half"), "unknown_id"),
        (Interrupt(turn="t2"), "no_turn"),
        (Rewind(to=None), "turn_in_progress"),
        (Steer(text=""), "invalid_content"),
        (Steer(text=" \n"), "invalid_content"),
    ],
)
def test_B28_a_line_that_does_not_fit_is_refused(command: Command, code: str) -> None:
    play = Play().load()
    before = play.jobs
    assert play.say(command).told() == ["refused"]
    assert (play.last(Refused).line, play.last(Refused).code) == (1, code)
    assert play.jobs == before


@pytest.mark.parametrize("command", [Steer(text="x"), Interrupt(), Interrupt(turn="t1")])
def test_B28_what_is_about_a_turn_needs_one(command: Command) -> None:
    play = Play(chat=True).load(None).say(command)
    assert play.last(Refused).code == "no_turn"


def test_B28_a_line_that_is_no_command_is_refused_by_number() -> None:
    play = Play().load().take(HostLineRefused(7, RefusalCode.MALFORMED, "no JSON", "q1"))
    refused = play.last(Refused)
    assert (refused.line, refused.code, refused.message, refused.id) == (
        7,
        "malformed",
        "no JSON",
        "q1",
    )
    assert play.told() == ["refused"]


def test_B28_a_flood_is_refused_as_a_range() -> None:
    play = Play().load().take(HostLinesOverrun(5, 900))
    assert (play.last(Refused).lines, play.last(Refused).code) == ((5, 900), "overrun")


def test_B28_an_accepted_line_is_answered_before_its_effect() -> None:
    play = Play().load().reply(call()).ask("t1.c1").answer("q1")
    assert play.told()[:2] == ["accepted", "human_closed"]
    assert (play.last(Accepted).line, play.last(Accepted).id) == (1, "q1")


def test_C17_an_action_that_was_not_offered_is_refused() -> None:
    run = Play().load().reply(call()).ask("t1.c1").run
    request = replace(run.requests[0], actions=(Action.DECLINE,))
    run = replace(run, requests=(request,))
    why = refusal(run, Answer(id="q1", action=Action.ACCEPT))
    assert why is not None
    assert why.code == "wrong_kind"
    assert refusal(run, Answer(id="q1", action=Action.DECLINE)) is None


# --- steer


def test_a_steer_is_taken_at_the_next_round() -> None:
    play = Play().load().reply(call()).clear("t1.c1").say(Steer(text="faster"))
    assert play.roles == "ua"
    play.ran("t1.c1")
    assert play.roles == "uatu"
    assert play.run.messages[-1].content[0].text == "faster"  # type: ignore[union-attr]


def test_a_steer_in_the_last_round_forces_one_more() -> None:
    play = Play().load().say(Steer(text="and now?")).reply("one")
    assert play.keys == ["t1.r2"]
    play.reply("two")
    assert play.roles == "uaua"
    assert play.turn_end.untaken == ()


def test_T18_steers_are_taken_together_as_one_message() -> None:
    play = Play().load().say(Steer(text="faster")).say(Steer(text="left")).reply("one")
    assert play.roles == "uau"
    assert play.run.messages[-1].content[0].text == "faster\n\nleft"  # type: ignore[union-attr]
    assert play.reply("two").turn_end.status == "done"


# --- rewind


@pytest.mark.parametrize(("to", "kept"), [(None, 0), ("t1", 2), ("t2", 4)])
def test_C1_a_rewind_forgets_what_came_after(to: str | None, kept: int) -> None:
    play = chat_of_two_turns().say(Rewind(to=to))
    assert play.told() == ["accepted", "rewound"]
    assert play.last(Rewound).messages == len(play.run.messages) == kept
    assert play.keys == ["q2"]
    assert len(play.chat("three").run.messages) == kept + 1


def test_C1_a_turn_that_was_forgotten_cannot_be_kept() -> None:
    play = chat_of_two_turns().say(Rewind(to="t1"))
    assert play.say(Rewind(to="t2")).last(Refused).code == "unknown_turn"
    assert play.say(Rewind(to="nope")).last(Refused).code == "unknown_turn"


def test_C1_a_rewind_may_be_said_again() -> None:
    play = chat_of_two_turns().say(Rewind(to="t1")).say(Rewind(to="t1"))
    assert play.told() == ["accepted", "rewound"]


def test_C1_turns_go_on_counting_after_a_rewind() -> None:
    play = chat_of_two_turns().say(Rewind(to=None)).chat("three")
    assert play.keys == ["t3.r1"]


# --- shutdown


def test_a_shutdown_lets_the_present_turn_finish() -> None:
    play = Play(chat=True).load().reply(call()).ask("t1.c1").say(Shutdown())
    assert play.keys == ["q1"]
    play.answer("q1").ran("t1.c1").reply("done")
    assert play.keys == ["catch-up"]
    assert (play.finish().status, play.run.exit_code) == ("done", 0)


def test_a_shutdown_between_turns_closes_the_question() -> None:
    play = Play(chat=True).load(None).say(Shutdown())
    assert play.told() == ["accepted", "notice", "human_closed"]
    assert play.finish().exit_code == 0


@pytest.mark.parametrize("chat", [True, False])
def test_a_shutdown_before_the_start_leaves_the_prompt(chat: bool) -> None:
    play = Play(chat=chat).say(Shutdown())
    assert play.keys == []
    assert play.load().reply("done").keys == ["catch-up"]


# --- what is remarked


def test_a_remark_is_told_as_a_warning() -> None:
    play = Play().load().take(Remarked("slow_server", "It is slow."))
    notice = play.last(Notice)
    assert (notice.level, notice.code, notice.message) == ("warning", "slow_server", "It is slow.")
    assert notice.turn == "t1"


@pytest.mark.parametrize("code", sorted(notices.FOLDED))
def test_a_remark_cannot_change_the_state(code: str) -> None:
    play = Play().load().reply(call())
    before = play.jobs
    assert play.take(Remarked(code, "Look.")).last(Notice).code == f"remark_{code}"
    assert play.jobs == before


def test_dropped_deltas_are_counted() -> None:
    play = Play().load().take(DeltasDropped(7))
    assert play.last(Notice).data == {"count": 7}
