"""A turn from its prompt to its last message: rounds, calls, ids, rows, messages."""

from __future__ import annotations

import pytest
from msgspec import Raw
from support.play import Play, call

from turnwire.protocol.content import Reasoning, ToolUse
from turnwire.protocol.events import Message, TurnEnd
from turnwire.protocol.rows import Row
from turnwire.protocol.usage import Usage
from turnwire.runner.core.jobs import CallModel, RunTool


def one_call_turn() -> Play:
    play = Play().load().reply("let me look", call()).clear("t1.c1").ran("t1.c1")
    return play.reply("that is all")


def test_T1_a_call_and_an_answer_take_two_rounds() -> None:
    play = one_call_turn()
    assert play.roles == "uata"
    assert play.turn_end.status == "done"
    assert play.turn_end.rounds == 2
    assert play.turn_end.messages == 4
    assert play.finish().exit_code == 0


def test_T1_the_end_repeats_how_its_one_turn_ended() -> None:
    play = one_call_turn()
    end = play.finish()
    assert (end.status, end.turns, end.last_seq, end.session) == ("done", 1, end.seq, "s")
    assert play.jobs == []


def test_T2_the_text_is_that_of_both_rounds() -> None:
    assert one_call_turn().turn_end.text == "let me look\n\nthat is all"


def test_T4_an_unknown_tool_is_told_and_the_loop_goes_on() -> None:
    play = Play().load().reply(call("nope"))
    play.reject("t1.c1", "There is no tool 'nope'. The tools are: read.")
    assert play.results() == [("t1.c1", "There is no tool 'nope'. The tools are: read.")]
    assert play.statuses("t1.c1") == ["pending", "failed"]
    assert play.keys == ["t1.r2"]
    assert play.reply("sorry").turn_end.status == "done"


def test_T4_a_rejection_without_words_is_no_empty_result() -> None:
    play = Play().load().reply(call()).reject("t1.c1", "")
    assert play.results() == [("t1.c1", "(no output)")]


def test_T8_results_stand_in_the_order_of_calls() -> None:
    play = Play().load().reply(call("a"), call("b"), call("c"))
    play.reject("t1.c3").reject("t1.c2").clear("t1.c1")
    assert play.results() == []
    play.ran("t1.c1")
    assert [one for one, _ in play.results()] == ["t1.c1", "t1.c2", "t1.c3"]


@pytest.mark.parametrize("identity", ["call_0", "", None])
def test_T9_A07_A08_every_call_has_an_id_of_its_own(identity: str | None) -> None:
    proposed = call("sh", provider_call_id=identity)
    play = Play().load().reply(proposed, proposed).clear("t1.c1", "t1.c2").ran("t1.c1", "t1.c2")
    play.reply(proposed).clear("t1.c3").ran("t1.c3", text="third").reply("done")
    uses = [b for m in play.run.messages for b in m.content if isinstance(b, ToolUse)]
    assert [use.id for use in uses] == ["t1.c1", "t1.c2", "t1.c3"]
    assert [use.provider_call_id for use in uses] == [uses[0].provider_call_id] * 3
    assert [one for one, _ in play.results()] == ["t1.c1", "t1.c2", "t1.c3"]
    assert play.turn_end.status == "done"


def test_T9_ids_go_on_counting_in_the_next_turn() -> None:
    play = Play(chat=True).load().reply(call()).clear("t1.c1").ran("t1.c1").reply("one")
    play.chat("next").reply(call())
    assert play.keys == ["t2.c1.review"]


def test_T9_the_provider_id_and_its_data_are_kept_aside() -> None:
    proposed = call(provider_call_id="toolu_1", provider="anthropic", opaque=b'{"sig":1}')
    play = Play().load().reply(proposed)
    use = play.run.messages[-1].content[0]
    assert isinstance(use, ToolUse)
    assert (use.provider_call_id, use.provider) == ("toolu_1", "anthropic")
    assert isinstance(use.opaque, Raw)
    assert bytes(use.opaque) == b'{"sig":1}'
    row = play.last(Row)
    assert row.call
    assert row.call.provider_call_id == "toolu_1"


@pytest.mark.parametrize("text", ["", "let me look"])
def test_T15_A22_calls_run_although_the_label_says_stop(text: str) -> None:
    play = Play().load().reply(text, call()).clear("t1.c1")
    assert [type(job) for job in play.jobs] == [RunTool]


def test_T16_reasoning_is_replayed_exactly_and_in_order() -> None:
    blocks = Reasoning(text="a"), "text", Reasoning(text="b"), call(), Reasoning(text="")
    play = Play().load().reply(*blocks).clear("t1.c1").ran("t1.c1")
    (request,) = play.jobs
    assert isinstance(request, CallModel)
    kinds = [type(block).__name__ for block in request.messages[1].content]
    assert kinds == ["Reasoning", "Text", "Reasoning", "ToolUse", "Reasoning"]


def test_S2_each_message_is_told_once_and_in_order() -> None:
    play = one_call_turn()
    told = play.all(Message)
    assert [one.index for one in told] == [0, 1, 2, 3]
    assert tuple(one.message for one in told) == play.run.messages
    assert [one.row for one in told] == [None, "t1.r1", "t1.c1", "t1.r2"]


def test_S2_a_call_is_told_before_it_may_run() -> None:
    play = Play().load().reply(call())
    assert play.told() == ["row", "message", "row"]
    assert not any(isinstance(job, RunTool) for job in play.jobs)
    assert play.clear("t1.c1").told() == ["row"]
    assert play.statuses("t1.c1") == ["pending", "running"]


def test_S2_a_result_is_told_before_its_row_is_done() -> None:
    play = Play().load().reply(call()).clear("t1.c1").ran("t1.c1")
    assert play.told() == ["message", "row", "row"]


def test_S3_usage_of_both_rounds_is_added_up() -> None:
    play = Play().load().reply(call(), usage=Usage(input=10, cached=4, output=2, total=16))
    play.clear("t1.c1").ran("t1.c1").reply("done", usage=Usage(input=20, output=3))
    summed = Usage(input=30, cached=4, output=5, total=16)
    assert play.turn_end.usage == summed
    assert play.finish().usage == summed


def test_S3_usage_stands_on_rounds_alone() -> None:
    play = Play().load().reply("done", usage=Usage(total=1))
    assert [row.id for row in play.all(Row) if row.usage] == ["t1.r1"]


def test_S4_each_round_and_call_is_a_row_of_its_turn() -> None:
    play = Play().load().reply(call("read"), call("read")).clear("t1.c1", "t1.c2")
    play.ran("t1.c1", "t1.c2").reply("done")
    opened = {row.id: row for row in reversed(play.all(Row))}
    parents = {row.id: row.parent for row in opened.values() if row.id != "t1"}
    assert parents == dict.fromkeys(["t1.r1", "t1.c1", "t1.c2", "t1.r2"], "t1")
    assert all(row.turn == "t1" for row in play.all(Row))


def test_S4_nothing_of_a_turn_follows_its_end() -> None:
    play = Play(chat=True).load().reply("one")
    at = play.log.index(play.last(TurnEnd))
    assert not [event for event in play.log[at + 1 :] if event.turn == "t1"]
