"""A person decides about calls: what an answer does, what nobody's answer does, what is remembered."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from support.play import Play, call

from turnwire.protocol.commands import Answer
from turnwire.protocol.events import Answers, Refused
from turnwire.protocol.people import Action, ClosedBy, HumanClosed, HumanRequest, Scope
from turnwire.protocol.rows import DeniedBy, Row
from turnwire.runner.core.evolve import digest_of
from turnwire.runner.core.host_lines import REASON_CHARACTERS
from turnwire.runner.core.inputs import Answered, ChannelEnded, Denied
from turnwire.runner.core.jobs import AskPerson, RunTool

REFUSALS = [Action.DECLINE, Action.CANCEL]


def asked(play: Play | None = None, arguments: str = "{}") -> Play:
    play = Play().load() if play is None else play
    return play.reply(call("write", arguments)).ask(play.keys[0].removesuffix(".review"))


def runs(play: Play) -> bool:
    return any(isinstance(job, RunTool) for job in play.jobs)


def next_call(play: Play, name: str = "write", arguments: str = "{}") -> Play:
    """Let the running call end and the model propose another, which the review puts to a person."""
    running = [job.key for job in play.jobs if isinstance(job, RunTool)]
    play.ran(*running).reply(call(name, arguments))
    return play.ask(*(key.removesuffix(".review") for key in play.keys if "review" in key))


def test_P1_the_request_is_about_exactly_one_call() -> None:
    request = asked(arguments='{"p":1}').last(HumanRequest)
    assert (request.id, request.row, request.kind) == ("q1", "t1.c1", "confirm")
    assert request.metadata
    assert request.metadata.tool_use_id == "t1.c1"
    assert request.metadata.tool_name == "write"
    assert request.metadata.arguments_sha256 == digest_of(b'{"p":1}')
    assert request.data == {"reach": ["filesystem:write"], "lines": ["a line"]}


def test_P1_an_accepted_call_runs_once() -> None:
    play = asked().answer("q1")
    assert play.statuses("t1.c1") == ["pending", "waiting", "running"]
    closed = play.last(HumanClosed)
    assert (closed.id, closed.by, closed.action) == ("q1", "human", "accept")
    assert closed.scope == "once"


@pytest.mark.parametrize("action", REFUSALS)
def test_T7_P8_a_refused_call_does_not_run(action: Action) -> None:
    play = asked().answer("q1", action)
    assert play.statuses("t1.c1") == ["pending", "waiting", "denied"]
    assert play.last(HumanClosed).scope is None
    ((_, text),) = play.results()
    assert text.startswith("denied: ")
    assert "go on without it" in text
    assert play.reply("then not").turn_end.denials == 1
    assert play.finish().exit_code == 0


def test_T7_the_reason_of_a_person_reaches_the_model() -> None:
    play = asked().answer("q1", Action.DECLINE, reason="use /tmp instead")
    assert "The person says: use /tmp instead" in play.results()[0][1]


def test_B2_a_very_long_reason_is_cut_and_marked() -> None:
    play = asked().answer("q1", Action.DECLINE, reason="x" * 1_000_000)
    text = play.results()[0][1]
    assert len(text) < REASON_CHARACTERS + 500
    assert "1,000,000 characters in all" in text


@pytest.mark.parametrize("action", REFUSALS)
def test_P8_C19_the_same_call_is_not_asked_about_again(action: Action) -> None:
    play = asked().answer("q1", action, reason="no").reply(call("write"))
    assert len(play.all(HumanRequest)) == 1
    assert play.statuses("t1.c2") == ["pending", "denied"]
    denied = [row.denied_by for row in play.all(Row) if row.denied_by is not UNSET]
    assert denied == [DeniedBy.HUMAN, DeniedBy.MEMORY]
    assert play.results()[0][1] == play.results()[1][1]


def test_P8_a_twin_that_was_reviewed_later_is_not_asked_about() -> None:
    play = Play().load().reply(call(), call()).ask("t1.c1")
    play.answer("q1", Action.DECLINE).ask("t1.c2")
    assert len(play.all(HumanRequest)) == 1
    assert play.statuses("t1.c2") == ["pending", "denied"]


def test_P8_other_arguments_are_asked_about() -> None:
    play = asked().answer("q1", Action.DECLINE)
    assert len(next_call(play, arguments='{"p":1}').all(HumanRequest)) == 2


def test_P8_another_turn_asks_anew() -> None:
    play = asked(Play(chat=True).load()).answer("q1", Action.DECLINE).reply("then not")
    asked(play.chat("again"))
    assert [one.row for one in play.all(HumanRequest)] == ["t1.c1", None, "t2.c1"]


def test_P8_arguments_that_are_no_json_are_not_the_denied_ones() -> None:
    play = asked().answer("q1", Action.DECLINE).reply(call("write", invalid="no JSON"))
    assert play.keys == ["t1.c2.review"]


def test_P13_content_of_a_confirm_is_ignored() -> None:
    assert runs(asked().answer("q1", content={"approved": False, "path": "/etc"}))


def test_G7_a_guardrail_denies_without_a_question() -> None:
    play = Play().load().reply(call(), call("b"))
    play.deny(Denied("t1.c1", DeniedBy.GUARDRAIL, "denied: not here")).clear("t1.c2")
    assert play.results() == [("t1.c1", "denied: not here")]
    assert play.all(HumanRequest) == []
    assert play.ran("t1.c2").reply("done").turn_end.denials == 1


# --- nobody's answer


@pytest.mark.parametrize("answers", [Answers.NONE])
def test_P6_T7_without_anybody_the_call_is_refused(answers: Answers) -> None:
    play = asked(Play(answers=answers).load())
    assert play.last(HumanClosed).by == ClosedBy.NO_ANSWERER
    assert "nobody can give it" in play.results()[0][1]
    assert play.keys == ["t1.r2"]
    assert play.reply("then not").finish().exit_code == 4


def test_P6_B29_a_lost_channel_refuses_what_is_open() -> None:
    play = Play().load().reply(call("a"), call("b"), call("c")).ask("t1.c1", "t1.c2")
    play.take(ChannelEnded("the host closed its end"))
    assert [(one.id, one.by) for one in play.all(HumanClosed)] == [
        ("q1", "channel_lost"),
        ("q2", "channel_lost"),
    ]
    assert not runs(play)
    assert runs(play.clear("t1.c3"))
    assert play.ran("t1.c3").reply("so be it").finish().exit_code == 4


def test_B29_what_is_asked_later_is_refused_at_once() -> None:
    play = Play().load().take(ChannelEnded("eof"))
    assert asked(play).last(HumanClosed).by == "channel_lost"


def test_B29_a_run_that_needs_no_answer_goes_on() -> None:
    play = Play().load().reply(call()).take(ChannelEnded("eof")).clear("t1.c1").ran("t1.c1")
    assert play.reply("done").finish().exit_code == 0


def test_B29_the_loss_is_told_once() -> None:
    play = Play().load().take(ChannelEnded("eof"))
    assert play.told() == ["notice"]
    assert play.take(ChannelEnded("eof")).news == []


def test_P6_a_deadline_refuses() -> None:
    play = asked().take(Answered("q1", ClosedBy.DEADLINE))
    assert "nobody answered in time" in play.results()[0][1]
    assert play.reply("then not").finish().exit_code == 4


@pytest.mark.parametrize("by", [by for by in ClosedBy if by is not ClosedBy.HUMAN])
def test_P6_what_no_person_accepted_does_not_run(by: ClosedBy) -> None:
    play = asked().take(Answered("q1", by, Action.ACCEPT, Scope.SESSION))
    assert not runs(play)
    assert play.run.grants == frozenset()


def test_H1_an_answer_of_a_connector_counts() -> None:
    assert runs(asked().take(Answered("q1", ClosedBy.HUMAN, Action.ACCEPT)))


# --- grants


def test_P15_a_grant_covers_the_same_call_for_the_session() -> None:
    play = asked(Play(chat=True).load()).answer("q1", scope=Scope.SESSION)
    next_call(play)
    assert runs(play)
    play.ran("t1.c2").reply("done").chat("again").reply(call("write")).ask("t2.c1")
    assert runs(play)
    assert [one.row for one in play.all(HumanRequest)] == ["t1.c1", None]


@pytest.mark.parametrize(("name", "arguments"), [("write", '{"p":1}'), ("edit", "{}")])
def test_P15_C11_a_grant_covers_nothing_else(name: str, arguments: str) -> None:
    play = next_call(asked().answer("q1", scope=Scope.SESSION), name, arguments)
    assert not runs(play)
    assert isinstance(play.jobs[0], AskPerson)


def test_P15_an_acceptance_is_for_once_unless_it_says_more() -> None:
    play = next_call(asked().answer("q1"))
    assert not runs(play)


@pytest.mark.parametrize("action", REFUSALS)
def test_P15_a_refusal_grants_nothing(action: Action) -> None:
    assert asked().answer("q1", action, scope=Scope.SESSION).run.grants == frozenset()
    closed = Answered("q1", ClosedBy.HUMAN, action, Scope.SESSION)
    assert asked().take(closed).run.grants == frozenset()


# --- answers out of place


def refused(play: Play) -> str:
    assert play.told() == ["refused"]
    return play.last(Refused).code


def test_C14_the_first_of_two_answers_wins() -> None:
    play = asked().answer("q1")
    assert refused(play.answer("q1", Action.DECLINE)) == "already_closed"
    assert runs(play)


def test_C14_a_late_yes_does_not_run_the_tool() -> None:
    play = asked().take(Answered("q1", ClosedBy.DEADLINE))
    assert refused(play.answer("q1")) == "already_closed"
    assert not runs(play)


def test_C14_an_early_answer_is_not_kept() -> None:
    play = Play().load().reply(call("write"))
    assert refused(play.answer("q1")) == "unknown_id"
    assert not runs(play.ask("t1.c1"))


@pytest.mark.parametrize("identity", ["nope", "q2", "q0", "q01", "q-1", "q", "", "t1.c1", "q١"])
def test_C14_an_unknown_id_is_refused(identity: str) -> None:
    assert refused(asked().answer(identity)) == "unknown_id"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"arguments_sha256": "0" * 64}, "digest_mismatch"),
        ({"arguments": b"{}"}, "wrong_kind"),
    ],
)
def test_C17_an_answer_to_something_else_is_refused(more: dict[str, Any], code: str) -> None:
    play = asked()
    assert refused(play.answer("q1", **more)) == code
    assert "q1" in play.keys


def test_C17_the_digest_that_was_shown_is_taken() -> None:
    assert runs(asked().answer("q1", arguments_sha256=digest_of(b"{}")))


def test_C17_the_question_of_a_chat_has_no_scope_and_no_digest() -> None:
    play = Play(chat=True).load(None)
    for more in ({"scope": Scope.SESSION}, {"arguments_sha256": digest_of(b"{}")}):
        assert play.say(Answer(id="q1", action=Action.ACCEPT, **more)).told() == ["refused"]  # type: ignore[arg-type]
    assert play.keys == ["q1"]


# --- an answer that also stops


@pytest.mark.parametrize(
    ("action", "status"), [(Action.ACCEPT, "cancelled"), (Action.DECLINE, "denied")]
)
def test_A_person_may_answer_and_stop_the_turn(action: Action, status: str) -> None:
    play = Play().load().reply(call("a"), call("b")).ask("t1.c1", "t1.c2")
    play.answer("q1", action, stop=True)
    assert [(one.id, one.by) for one in play.all(HumanClosed)] == [
        ("q1", "human"),
        ("q2", "interrupted"),
    ]
    assert play.statuses("t1.c1")[-1] == status
    assert "running" not in play.statuses("t1.c1")
    assert (play.turn_end.status, play.turn_end.stopped_by) == ("incomplete", "person")
    assert play.finish().exit_code == 5


def test_A_stop_with_the_answer_to_a_chat_stops_nothing() -> None:
    play = Play(chat=True).load(None).answer("q1", content={"message": "go"}, stop=True)
    assert play.keys == ["t1.r1"]
