"""A chat over the wire: each next message is the answer to a question."""

from __future__ import annotations

import pytest
from support.play import Play, call, fault

from turnwire.protocol.commands import Interrupt
from turnwire.protocol.events import Answers, Refused
from turnwire.protocol.people import Action, ClosedBy, HumanClosed, HumanRequest
from turnwire.runner.core.inputs import Answered, ChannelEnded


def question(play: Play) -> HumanRequest:
    (request,) = play.run.requests
    return request


def test_C12_the_next_message_is_asked_for() -> None:
    play = Play(chat=True).load(None)
    request = question(play)
    assert (request.kind, request.row, request.metadata) == ("elicit", None, None)
    assert request.schema
    assert request.schema["properties"]["message"]["format"] == "chat-message"
    assert play.keys == [request.id]


def test_C12_an_answer_with_text_is_the_next_turn() -> None:
    play = Play(chat=True).load(None).chat("hello")
    assert play.told() == ["accepted", "human_closed", "row", "message", "row"]
    assert play.keys == ["t1.r1"]
    assert play.roles == "u"


def test_C12_history_carries_over_to_the_next_turn() -> None:
    play = Play(chat=True).load("one").reply("1").chat("two").reply("2").chat("three")
    assert play.roles == "uauau"
    assert play.run.turn_count == 3


@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
def test_C2_declining_the_question_is_a_clean_end(action: Action) -> None:
    play = Play(chat=True).load().reply("one").answer("q1", action)
    assert play.keys == ["catch-up"]
    end = play.finish()
    assert (end.status, end.exit_code, end.turns) == ("done", 0, 1)


@pytest.mark.parametrize(
    "content", [{}, {"message": ""}, {"message": " \n"}, {"message": 7}, {"text": "x"}]
)
def test_C5_C17_an_answer_without_text_leaves_the_question_open(content: dict[str, object]) -> None:
    play = Play(chat=True).load(None).answer("q1", content=content)
    assert play.last(Refused).code == "invalid_content"
    assert play.keys == ["q1"]


def test_C17_an_answer_without_content_is_no_message() -> None:
    assert Play(chat=True).load(None).answer("q1").last(Refused).code == "invalid_content"


@pytest.mark.parametrize("prompt", ["one", None])
def test_B29_the_end_of_the_channel_is_a_clean_end(prompt: str | None) -> None:
    play = Play(chat=True).load(prompt)
    if prompt is not None:
        play.reply("1")
    play.take(ChannelEnded("eof"))
    assert play.last(HumanClosed).by == "channel_lost"
    assert play.finish().exit_code == 0


def test_B29_a_turn_without_questions_outlives_the_channel() -> None:
    play = Play(chat=True).load().take(ChannelEnded("eof")).reply("one")
    assert play.all(HumanRequest) == []
    assert play.finish().exit_code == 0


def test_B29_the_first_prompt_outlives_a_channel_that_ended_early() -> None:
    play = Play(chat=True).take(ChannelEnded("eof")).load()
    assert play.keys == ["t1.r1"]
    assert play.reply("one").keys == ["catch-up"]


def test_C12_without_answers_a_chat_has_one_turn() -> None:
    play = Play(chat=True, answers=Answers.NONE).load().reply("one")
    assert play.keys == ["catch-up"]


def test_C6_a_failed_turn_is_followed_by_the_question() -> None:
    play = Play(chat=True).load().reply("one").chat("two").fail(fault(retryable=False))
    assert play.turn_end.status == "error"
    assert play.keys == [question(play).id]
    assert play.chat("two, again").roles == "uau"
    play.reply("2").answer(question(play).id, Action.DECLINE)
    assert play.finish().exit_code == 0


def test_C6_the_very_first_turn_may_fail_too() -> None:
    play = Play(chat=True).load().fail(fault(retryable=False))
    assert play.roles == ""
    assert play.chat("again").reply("one").roles == "ua"


def test_C12_an_interrupted_turn_is_followed_by_the_question() -> None:
    play = Play(chat=True).load().reply(call()).say(Interrupt())
    assert play.turn_end.status == "interrupted"
    assert play.chat("go on").roles == "uatau"


def test_C12_a_limit_is_followed_by_the_question() -> None:
    play = Play(chat=True).load(max_rounds=0)
    assert play.chat("again").roles == "uaua"
    assert play.run.turns[1].messages == 4


def test_C12_a_refused_call_is_remembered_in_the_exit_code() -> None:
    play = Play(chat=True).load().reply(call()).ask("t1.c1").take(Answered("q1", ClosedBy.DEADLINE))
    play.reply("then not").answer("q2", Action.DECLINE)
    assert play.finish().exit_code == 4


def test_C12_an_accepting_connector_without_text_is_asked_again() -> None:
    play = Play(chat=True).load(None).take(Answered("q1", ClosedBy.HUMAN, Action.ACCEPT))
    assert play.keys == ["q2"]


def test_C12_what_is_loaded_twice_starts_once() -> None:
    play = Play(chat=True).load("one")
    assert play.load("two").news == []
    assert play.roles == "u"


def test_C12_without_prompt_and_chat_nothing_is_to_do() -> None:
    assert Play().load(None).finish().turns == 0
