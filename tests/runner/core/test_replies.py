"""Odd replies: empty ones, cut ones, labels that lie; and the note of a provider."""

from __future__ import annotations

import pytest
from support.play import Play, call, fault

from turnwire.protocol.commands import Steer
from turnwire.protocol.content import Reasoning, Text
from turnwire.protocol.events import Message, Notice
from turnwire.runner.core.inputs import ModelEnded
from turnwire.runner.core.ports import Finish, ModelReply

EMPTY = [(), ("",), (" \n",), (Reasoning(text="hm"),)]
CUT = [
    (Finish.LENGTH, "output_limit"),
    (Finish.CONTENT_FILTER, "content_filter"),
    (Finish.REFUSAL, "refusal"),
]


def notices(play: Play) -> list[str]:
    return [notice.code for notice in play.all(Notice)]


@pytest.mark.parametrize("content", EMPTY)
def test_T11_A46_an_empty_reply_is_asked_for_once_more(content: tuple[str, ...]) -> None:
    play = Play().load().reply(*content)
    assert play.roles == "u"
    assert notices(play) == ["empty_reply"]
    assert play.keys == ["t1.r2"]
    assert play.reply("now").turn_end.status == "done"
    assert play.roles == "ua"


@pytest.mark.parametrize("content", EMPTY)
def test_A23_A46_two_empty_replies_are_an_error(content: tuple[str, ...]) -> None:
    play = Play().load().reply(*content).reply(*content)
    assert play.turn_end.status == "error"
    assert play.turn_end.error
    assert play.turn_end.error.code == "no_answer"
    assert play.turn_end.rounds == 2
    assert play.finish().exit_code == 3


def test_A47_an_empty_reply_after_a_tool_ends_the_turn() -> None:
    play = Play().load().reply("I append.", call()).clear("t1.c1").ran("t1.c1").reply()
    assert play.turn_end.status == "done"
    assert play.turn_end.text == "I append."
    assert play.roles == "uata"
    assert play.finish().exit_code == 0


def test_A47_a_steer_is_taken_after_a_silent_reply() -> None:
    play = Play().load().reply(call()).clear("t1.c1").ran("t1.c1")
    play.say(Steer(text="and now?")).reply()
    assert play.keys == ["t1.r3"]
    assert play.roles == "uatu"
    assert play.reply("that").turn_end.untaken == ()


def test_T12_blank_blocks_are_left_out_of_the_transcript() -> None:
    play = Play().load().reply("", "said", " ", call())
    assert [type(block).__name__ for block in play.last(Message).message.content] == [
        "Text",
        "ToolUse",
    ]


def test_T12_text_transcript_and_end_agree() -> None:
    play = Play().load().reply("one ", "two")
    assert play.turn_end.text == "one two"
    assert [block.text for block in play.run.messages[-1].content] == ["one ", "two"]  # type: ignore[union-attr]


@pytest.mark.parametrize(("label", "stopped_by"), CUT)
def test_T14_of_a_cut_reply_no_call_runs(label: Finish, stopped_by: str) -> None:
    cut = call("write", invalid="the arguments are cut off")
    play = Play().load().reply("text", call("read"), cut, finish=label)
    assert (play.turn_end.status, play.turn_end.stopped_by) == ("incomplete", stopped_by)
    assert [one for one, _ in play.results()] == ["t1.c1", "t1.c2"]
    assert play.statuses("t1.c1") == ["pending", "cancelled"]
    assert play.roles[-1] == "a"
    assert play.finish().exit_code == 5


@pytest.mark.parametrize(("label", "stopped_by"), CUT)
def test_A65_a_policy_stop_without_text_is_not_retried(label: Finish, stopped_by: str) -> None:
    play = Play().load().reply(finish=label)
    assert (play.turn_end.status, play.turn_end.stopped_by) == ("incomplete", stopped_by)
    assert play.turn_end.rounds == 1
    assert play.roles == "ua"


def test_A65_the_text_of_a_refusal_is_kept() -> None:
    play = Play().load().reply("I can't", finish=Finish.REFUSAL)
    assert play.turn_end.text == "I can't"
    assert play.roles == "ua"


def test_A25_what_a_provider_notes_is_passed_on() -> None:
    reply = ModelReply((Text(text="done"),), Finish.STOP, note="there was no label")
    play = Play().load().take(ModelEnded("t1.r1", reply))
    told = [(notice.code, notice.message) for notice in play.all(Notice)]
    assert told == [("inferred_end", "there was no label")]
    assert play.turn_end.status == "done"


def test_T11_a_fault_between_does_not_count_as_empty() -> None:
    play = Play().load().reply().fail(fault()).wait().reply("now")
    assert play.turn_end.status == "done"
