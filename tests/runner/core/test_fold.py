"""The state is the fold of the log, and folding is total: no log, however odd, is refused."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace
from support.play import Play, call, hello

from turnwire.protocol.content import Text, ToolResult, ToolUse
from turnwire.protocol.events import Answers, Message, Notice
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.protocol.people import HumanClosed, HumanRequest, Scope
from turnwire.protocol.rows import Row, RowStatus
from turnwire.runner.core.evolve import digest_of, evolve, fold
from turnwire.runner.core.inputs import Signal, Signalled
from turnwire.runner.core.rows import with_call
from turnwire.runner.core.state import Run


def asked() -> Play:
    return Play().load().reply("I ask.", call("write")).ask("t1.c1")


def test_S5_the_fold_of_the_log_is_the_state() -> None:
    play = asked().answer("q1", scope=Scope.SESSION).ran("t1.c1").reply("done")
    play.finish()
    assert fold(Run(), play.log) == play.run


@given(st.integers(0, 40))
@settings(deadline=None)
def test_S5_any_beginning_of_a_log_can_be_gone_on_from(cut: int) -> None:
    log = asked().answer("q1").ran("t1.c1").reply("done").log
    assert fold(fold(Run(), log[:cut]), log[cut:]) == fold(Run(), log)


def test_S5_a_new_process_forgets_what_held_for_the_old_one() -> None:
    play = asked().answer("q1", scope=Scope.SESSION).ran("t1.c1").take(Signalled(Signal.TERMINATE))
    old = play.reply("done").run
    assert old.grants
    new = evolve(old, hello(old.seq + 1, answers=Answers.NONE, resumed=True))
    assert (new.ready, new.ended, new.closing, new.stopping) == (False, False, False, None)
    assert new.grants == frozenset()
    assert not new.answerable
    assert (new.messages, new.turn_count, new.request_count) == (old.messages, 1, 1)


def test_S5_the_digest_is_of_the_arguments_as_they_stand() -> None:
    assert digest_of(b"{}") == hashlib.sha256(b"{}").hexdigest()


# --- odd logs, as another version or a torn file may leave them


def told(state: Run, event: Row | Message | HumanRequest | HumanClosed | Notice) -> Run:
    return evolve(state, replace(event, seq=state.seq + 1))


def test_S7_rows_outside_of_a_turn_change_nothing() -> None:
    state = fold(Run(), [hello()])
    row = Row(seq=2, at=0, id="x", kind="task", status=RowStatus.DONE)
    assert told(state, row) == replace(state, seq=2)


def test_S7_rows_of_kinds_from_later_change_nothing() -> None:
    state = Play().load().run
    for status in RowStatus:
        row = Row(seq=0, at=9, turn="t1", id="x", kind="task", status=status)
        assert told(state, row) == replace(state, seq=state.seq + 1)


def test_S7_a_request_that_expects_nothing_is_never_open() -> None:
    state = Play().load().run
    request = HumanRequest(
        seq=0, at=0, id="q1", step=1, kind="notify", message="Look.", expects_response=False
    )
    after = told(state, request)
    assert after.requests == ()
    assert after.request_count == 1


def test_S7_closing_what_is_not_open_changes_nothing() -> None:
    state = Play().load().run
    closed = HumanClosed(seq=0, at=0, id="q9", action=None, by="human")  # type: ignore[arg-type]
    assert told(state, closed) == replace(state, seq=state.seq + 1)


def test_S7_a_result_of_an_unknown_call_is_only_kept() -> None:
    state = Play().load().run
    for content in (ToolResult(tool_use_id="x", content=(Text(text="y"),)), Text(text="z")):
        message = TranscriptMessage(role=Role.TOOL, content=(content,))
        after = told(state, Message(seq=0, at=0, index=1, message=message))
        assert after.turn == state.turn
        assert after.messages[-1] == message


def test_S7_messages_outside_of_a_turn_are_kept() -> None:
    state = fold(Run(), [hello()])
    use = ToolUse(id="x", name="read", arguments=Raw(b"{}"))
    for role in Role:
        message = TranscriptMessage(role=role, content=(use,))
        after = told(state, Message(seq=0, at=0, index=0, message=message))
        assert after.turn is None
        assert after.messages == (message,)


def test_S7_notices_from_later_change_nothing() -> None:
    for state in (Play().load().run, fold(Run(), [hello()])):
        notice = Notice(seq=0, at=0, level="info", code="new", message="New.")  # type: ignore[arg-type]
        assert told(state, notice) == replace(state, seq=state.seq + 1)


def test_S7_a_call_of_another_reply_is_left_alone() -> None:
    turn = asked().run.turn
    assert turn is not None
    assert with_call(turn, "t0.c1", held="x") == turn
