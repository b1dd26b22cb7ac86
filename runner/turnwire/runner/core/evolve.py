"""``evolve(state, event) -> state``: how the world looks after an event. Pure, total, and never refuses.

The same fold runs while a session lives and when it is read back from its log, so whatever the rules in
``machine`` want to know must be in an event. One small function an event; unknown ones change only ``seq``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from msgspec.structs import replace

from turnwire.protocol.base import UNSET
from turnwire.protocol.content import ToolResult, ToolUse
from turnwire.protocol.endings import DENIED_IN_ABSENCE, Status, StoppedBy
from turnwire.protocol.events import (
    Answers,
    End,
    Hello,
    Message,
    Notice,
    Ready,
    Rewound,
    Settled,
    TurnEnd,
)
from turnwire.protocol.messages import Role, TranscriptMessage, text_of
from turnwire.protocol.people import Action, ClosedBy, HumanClosed, HumanRequest, Scope
from turnwire.protocol.rows import Row, RowKind, RowStatus
from turnwire.protocol.usage import add_usage
from turnwire.runner.core import notices
from turnwire.runner.core.rows import turn_after, with_call
from turnwire.runner.core.state import Call, Ending, Phase, Run, Sameness, Turn, TurnMark

__all__ = ["digest_of", "evolve", "fold", "is_chat_question"]


def digest_of(arguments: bytes) -> str:
    """SHA-256 in hexadecimal of the compact arguments: what binds an answer to what was shown."""
    return hashlib.sha256(arguments).hexdigest()


def fold(state: Run, events: Iterable[Settled]) -> Run:
    """Fold ``events`` onto ``state``, oldest first."""
    return reduce(evolve, events, state)


def evolve(state: Run, event: Settled) -> Run:
    """Give the state after ``event``."""
    change = _CHANGES.get(type(event))
    state = replace(state, seq=event.seq)
    if change is not None:
        state = change(state, event)
    if state.turn is not None and (state.requests or state.turn.waiting_since is not None):
        state = replace(state, turn=_keep_clock(state.turn, event.at))
    return state


def is_chat_question(request: HumanRequest) -> bool:
    """Say whether ``request`` is the question for the next chat message: the one that belongs to no row."""
    return request.row is None


def _keep_clock(turn: Turn, at: int) -> Turn:
    """Stop the turn's clock while nothing but a person is waited for (U2)."""
    phases = {call.phase for call in turn.calls}
    idle = turn.round is None and turn.retry_at is None
    only_waiting = idle and Phase.WAITING in phases and not phases & {Phase.RUNNING, Phase.PROPOSED}
    if only_waiting and turn.waiting_since is None:
        return replace(turn, waiting_since=at)
    if not only_waiting and turn.waiting_since is not None:
        return replace(turn, waiting_since=None, waited=turn.waited + at - turn.waiting_since)
    return turn


# --- run --------------------------------------------------------------------------------------------------


def _hello(state: Run, event: Hello) -> Run:
    """A process begins; what held for the one before it alone is forgotten, its grants too."""
    there = event.answers in (Answers.FD, Answers.STDIN)
    return replace(
        state,
        session=event.session,
        absence=None if there else ClosedBy.NO_ANSWERER,
        ready=False,
        denied_in_absence=False,
        grants=frozenset(),
        stopping=None,
        closing=False,
        exit_code=None,
    )


def _ready(state: Run, event: Ready) -> Run:
    return replace(state, ready=True, completion=event.completion, budget=event.budget)


def _end(state: Run, event: End) -> Run:
    return replace(state, exit_code=event.exit_code)


def _rewound(state: Run, event: Rewound) -> Run:
    marks = tuple(mark for mark in state.turns if mark.messages <= event.messages)
    return replace(state, messages=state.messages[: event.messages], turns=marks)


def _turn_end(state: Run, event: TurnEnd) -> Run:
    return replace(
        state,
        turn=None,
        turns=(*state.turns, TurnMark(id=event.turn, messages=event.messages)),
        usage=add_usage(state.usage, event.usage),
        denials=state.denials + event.denials,
        last=Ending(event.status, event.stopped_by, event.error),
    )


# --- rows -------------------------------------------------------------------------------------------------


def _row(state: Run, event: Row) -> Run:
    if event.kind == RowKind.TURN and event.status is RowStatus.RUNNING:
        turn = Turn(id=event.id, started_at=event.at, first_message=len(state.messages))
        return replace(state, turn=turn, turn_count=state.turn_count + 1)
    if state.turn is None or event.id == state.turn.id:
        return state
    return replace(state, turn=turn_after(state.turn, event))


# --- messages ---------------------------------------------------------------------------------------------


def _message(state: Run, event: Message) -> Run:
    turn = state.turn
    if turn is not None and event.message.role is Role.ASSISTANT:
        turn = _assistant_said(turn, event.message)
    elif turn is not None and event.message.role is Role.TOOL:
        turn = _result_recorded(turn, event.message)
    elif turn is not None and len(state.messages) > turn.first_message:
        turn = replace(turn, steers=())
    return replace(state, turn=turn, messages=(*state.messages, event.message))


def _assistant_said(turn: Turn, message: TranscriptMessage) -> Turn:
    text = text_of(message)
    calls = tuple(
        Call(
            id=block.id,
            name=block.name,
            arguments=bytes(block.arguments),
            digest=digest_of(bytes(block.arguments)),
            invalid=None if block.invalid is UNSET else block.invalid,
        )
        for block in message.content
        if isinstance(block, ToolUse)
    )
    texts = (*turn.texts, text) if text else turn.texts
    return replace(turn, texts=texts, calls=calls, call_count=turn.call_count + len(calls))


def _result_recorded(turn: Turn, message: TranscriptMessage) -> Turn:
    result = message.content[0]
    if not isinstance(result, ToolResult):
        return turn
    turn = with_call(turn, result.tool_use_id, phase=Phase.SETTLED, recorded=True)
    call = next((call for call in turn.calls if call.id == result.tool_use_id), None)
    if call is None:
        return turn
    signature = (call.name, call.digest, _result_signature(result))
    times = turn.same.times + 1 if signature == turn.same.signature else 1
    return replace(turn, same=Sameness(signature=signature, times=times))


def _result_signature(result: ToolResult) -> int:
    summary = hashlib.blake2b(digest_size=8)
    for block in result.content:
        summary.update(repr(block).encode("utf-8", "replace"))
    return int.from_bytes(summary.digest(), "big")


# --- people -----------------------------------------------------------------------------------------------


def _human_request(state: Run, event: HumanRequest) -> Run:
    if not event.expects_response:
        return replace(state, request_count=state.request_count + 1)
    return replace(state, requests=(*state.requests, event), request_count=state.request_count + 1)


def _human_closed(state: Run, event: HumanClosed) -> Run:
    request = next((request for request in state.requests if request.id == event.id), None)
    if request is None:
        return state
    state = replace(state, requests=tuple(r for r in state.requests if r is not request))
    if is_chat_question(request):
        return state if event.action is Action.ACCEPT else replace(state, closing=True)
    if event.by in DENIED_IN_ABSENCE:
        state = replace(state, denied_in_absence=True)
    accepted = event.by is ClosedBy.HUMAN and event.action is Action.ACCEPT
    if accepted and event.scope is Scope.SESSION and request.metadata is not None:
        grant = (request.metadata.tool_name, request.metadata.arguments_sha256)
        state = replace(state, grants=state.grants | {grant})
    return state


# --- notices ----------------------------------------------------------------------------------------------


def _notice(state: Run, event: Notice) -> Run:
    if event.code == notices.CHANNEL_LOST:
        return replace(state, absence=ClosedBy.CHANNEL_LOST)
    if event.code == notices.SHUTDOWN:
        return replace(state, closing=True)
    if event.code == notices.STOPPING:
        return _stopping(state, event.data)
    if state.turn is None:
        return state
    return replace(state, turn=_turn_notice(state.turn, event))


def _stopping(state: Run, data: dict[str, Any]) -> Run:
    stopped_by = data["stopped_by"]
    ending = Ending(Status(data["status"]), None if stopped_by is None else StoppedBy(stopped_by))
    if data["scope"] == "run":
        state = replace(state, stopping=ending)
    if state.turn is not None:
        state = replace(state, turn=replace(state.turn, stopping=ending))
    return state


def _turn_notice(turn: Turn, event: Notice) -> Turn:
    if event.code == notices.STEER_QUEUED:
        return replace(turn, steers=(*turn.steers, event.data["text"]))
    if event.code == notices.RETRY:
        return replace(turn, retry_at=event.at + round(event.data["seconds"] * 1000))
    if event.code == notices.EMPTY_REPLY:
        return replace(turn, empties=turn.empties + 1)
    return turn


_CHANGES: dict[type[Settled], Callable[[Run, Any], Run]] = {
    Hello: _hello,
    Ready: _ready,
    Row: _row,
    Message: _message,
    Rewound: _rewound,
    HumanRequest: _human_request,
    HumanClosed: _human_closed,
    Notice: _notice,
    TurnEnd: _turn_end,
    End: _end,
}
