"""The fold that every surface draws from: the same whenever one joins, whatever is said twice."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.story import ASKING, BEGINNING, ENDING, STORY, delta, row, said, text, told
from support.words import events

from turnwire.protocol.codec import Unknown
from turnwire.protocol.events import Delta, Event, Part
from turnwire.protocol.rows import Port
from turnwire.protocol.usage import Usage
from turnwire.protocol.view import View


def fold(happened: list[Event]) -> View:
    view = View()
    for event in happened:
        view.apply(event)
    return view


def picture(view: View) -> dict[str, Any]:
    """All that a surface can see."""
    names = [name for name in dir(View) if isinstance(getattr(View, name), property)]
    seen = {name: getattr(view, name) for name in names}
    return {
        **{name: dict(value) if hasattr(value, "items") else value for name, value in seen.items()},
        "transcript": view.transcript(),
        "tree": list(view.walk()),
        "children": {name: view.children(name) for name in view.rows},
        "requests": {name: view.requests_on(name) for name in view.rows},
        "live": {(name, port): view.live(name, port) for name in view.rows for port in Port},
    }


def test_V1_a_running_turn_shows_its_text() -> None:
    view = fold(told(BEGINNING))
    (exchange,) = view.transcript()
    assert (exchange.turn, exchange.running, exchange.end) == ("t1", "I write it.", None)
    assert [message.index for message in exchange.messages] == [0]
    assert view.live("r2", Port.REASONING) == "Hm."
    assert view.live("r2", Port.ARGUMENTS, 0) == '{"path"'


def test_V1_deltas_of_a_failed_row_are_void() -> None:
    view = fold(told(BEGINNING))
    assert view.live("r1", Port.TEXT) == ""
    assert not view.apply(Delta(row="r1", port=Port.TEXT, text="late"))
    assert view.transcript()[0].running == "I write it."


def test_V1_a_recorded_message_replaces_running_text() -> None:
    view = fold(told([*BEGINNING, ASKING[0]]))
    assert not view.apply(Delta(row="r2", port=Port.TEXT, text="late"))
    (exchange,) = view.transcript()
    assert exchange.running == ""
    assert [message.index for message in exchange.messages] == [0, 1]


def test_V2_an_open_request_stands_on_its_card() -> None:
    view = fold(told([*BEGINNING, *ASKING]))
    assert list(view.open_requests) == ["h1"]
    assert view.requests_on("call_1") == (view.open_requests["h1"],)
    assert view.requests_on("t1") == ()
    assert not view.closed_requests


def test_V2_a_closed_request_keeps_its_reason() -> None:
    view = fold(told(STORY))
    assert not view.open_requests
    closed = view.closed_requests["h1"]
    assert (closed.closed.by, closed.closed.reason) == ("human", "go on")
    assert closed.request is not None
    assert closed.request.message == "May write run?"


def test_V2_a_request_closed_before_stays_closed() -> None:
    late = {**ASKING[3], "step": 2}
    assert not fold(told([*STORY, late])).open_requests


def test_V2_a_closing_that_nobody_saw_opened_is_kept() -> None:
    view = fold(told([ENDING[1]]))
    assert view.closed_requests["h1"].request is None


def test_V2_a_later_step_replaces_the_question() -> None:
    second = {**ASKING[3], "step": 2, "message": "Sure?"}
    view = fold(told([*BEGINNING, *ASKING, second]))
    assert [request.step for request in view.open_requests.values()] == [2]


def test_V2_several_requests_are_open_at_once() -> None:
    view = fold(told([*BEGINNING, *ASKING, {**ASKING[3], "id": "h2", "row": "call_2"}]))
    assert list(view.open_requests) == ["h1", "h2"]


def test_what_expects_no_answer_is_never_open() -> None:
    view = fold(told([{**ASKING[3], "kind": "notify", "expects_response": False}]))
    assert not view.open_requests
    assert [request.id for request in view.shown] == ["h1"]


def test_R10_a_host_tool_is_open_until_closed() -> None:
    asked = told([*BEGINNING, *ASKING, *ENDING[:4]])
    assert list(fold(asked).open_tools) == ["call_1"]
    assert not fold(told(STORY)).open_tools


def test_T12_live_output_is_void_once_settled() -> None:
    view = fold(told([*BEGINNING, *ASKING, *ENDING[:6]]))
    assert view.live("call_1", Port.OUTPUT) == "writing"
    assert fold(told(STORY)).live("call_1", Port.OUTPUT) == ""


def test_S3_usage_is_the_sum_of_rounds_until_the_end() -> None:
    assert fold(told([*BEGINNING, *ASKING])).usage == Usage(input=10, output=5)
    assert fold(told(STORY[:-1])).usage == Usage(input=20, output=10)
    assert fold(told(STORY)).usage == Usage(input=20, output=10)
    assert View().usage == Usage()


def test_D17_only_rounds_count_their_usage() -> None:
    summary = row("t1", usage={"input": 10, "output": 5})
    assert fold(told([*BEGINNING, *ASKING, summary])).usage == Usage(input=10, output=5)


def test_notices_refusals_and_the_end_are_kept() -> None:
    view = fold(told(STORY))
    assert [notice.code for notice in view.notices] == ["retry"]
    assert [refusal.line for refusal in view.refusals] == [1]
    assert view.end is not None
    assert view.hello is not None
    assert view.ready is not None
    assert view.last_seq == view.end.seq


def test_V1_a_silent_finished_turn_adds_nothing() -> None:
    silent = [row("t2", kind="turn", status="running"), {**ENDING[14], "turn": "t2"}]
    view = fold(told([*STORY, *silent]))
    assert [exchange.turn for exchange in view.transcript()] == ["t1"]
    running = fold(told([*STORY, silent[0]]))
    assert [exchange.turn for exchange in running.transcript()] == ["t1", "t2"]


def test_V1_nested_work_does_not_shift_the_transcript() -> None:
    nested = [
        row("a1", parent="call_1", kind="agent", status="running"),
        row("t9", parent="a1", kind="turn", status="running"),
        row("r9", parent="t9", kind="round", status="running"),
        delta("r9", "text", "nested words"),
    ]
    (exchange,) = fold(told([*BEGINNING, *ASKING, *nested])).transcript()
    assert (exchange.turn, exchange.running) == ("t1", "")


def test_V1_messages_are_zipped_by_turn_id() -> None:
    history = said(0, "user", None, text("old"))
    del history["turn"]
    lines = [history, said(1, "user", None, text("new")), {"type": "rewound", "messages": 1}]
    turns = [exchange.turn for exchange in fold(told(lines[:2])).transcript()]
    assert turns == [None, "t1"]
    assert [message.index for message in fold(told(lines)).messages] == [0]


def test_C1_a_rewound_turn_leaves_the_transcript() -> None:
    view = fold(told([*STORY, {"type": "rewound", "messages": 0}]))
    assert view.messages == ()
    assert view.transcript() == ()
    assert "t1" in view.rows


def test_a_resumed_session_runs_again() -> None:
    view = fold(told([*BEGINNING, *ASKING, ENDING[-1], {**BEGINNING[0], "resumed": True}]))
    assert view.end is None
    assert view.hello is not None
    assert view.hello.resumed
    assert list(view.open_requests) == ["h1"]


@given(st.integers(0, len(STORY)))
def test_S5_a_late_join_gives_the_same_view(moment: int) -> None:
    happened = told(STORY)[:moment]
    live = fold(happened)
    late = fold([event for event in happened if not isinstance(event, Delta)])
    here, there = picture(live), picture(late)
    for seen in (here, there):
        del seen["live"]
        seen["transcript"] = [(e.turn, e.messages, e.end) for e in seen["transcript"]]
    assert here == there


@given(st.lists(st.integers(0, len(STORY) - 1)), st.integers(0, len(STORY)))
def test_S7_events_already_seen_change_nothing(again: list[int], moment: int) -> None:
    happened = told(STORY)
    settled = [happened[i] for i in again if not isinstance(happened[i], Delta) and i < moment]
    view = fold(happened[:moment])
    before = picture(view)
    assert {view.apply(event) for event in settled} <= {False}
    assert picture(view) == before


def test_S7_unknown_events_and_parts_change_nothing() -> None:
    view = fold(told(STORY))
    seq = view.last_seq
    assert not view.apply(Unknown("later", None, b"{}"))
    assert not view.apply(Unknown("later", seq + 1, b"{}"))
    assert not view.apply(Part(part_of=1, index=0, last=True, data=""))
    assert not view.apply(Delta(row="nobody", port=Port.TEXT, text="x"))
    assert view.last_seq == seq + 1


@given(st.lists(events, max_size=20))
def test_S7_no_events_whatever_crash_the_view(happened: list[Event]) -> None:
    view = fold(happened)
    assert len(list(view.walk())) == len(view.rows)
    picture(view)
