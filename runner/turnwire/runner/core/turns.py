"""A turn from its prompt to its end: rounds, replies, limits, stops.

Owns what happens next in a turn (:func:`advance`) and how a turn ends (:func:`finish`). Every way out of a
turn leaves a transcript that a strict provider accepts: each call has its result, and the model has spoken
last (T8, T18).
"""

from __future__ import annotations

from turnwire.protocol.base import UNSET
from turnwire.protocol.content import Reasoning, Text, ToolUse
from turnwire.protocol.endings import Status, StoppedBy
from turnwire.protocol.events import Level, Message, Rewound, TurnEnd
from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.protocol.people import ClosedBy, HumanClosed
from turnwire.protocol.rows import Row, RowKind, RowStatus
from turnwire.runner.core import calls, completion, notices
from turnwire.runner.core.budget import call_limit, round_limit
from turnwire.runner.core.ports import Finish, ModelFault, ModelOutcome, ModelReply, ProposedCall
from turnwire.runner.core.retrying import last_error, wait_before_retry
from turnwire.runner.core.saying import say_assistant, say_user, user_spoke_last
from turnwire.runner.core.state import Ending, Phase
from turnwire.runner.core.telling import Telling

__all__ = ["advance", "begin", "close_requests", "finish", "model_ended", "start_round"]

_CUT_SHORT = {
    Finish.LENGTH: StoppedBy.OUTPUT_LIMIT,
    Finish.CONTENT_FILTER: StoppedBy.CONTENT_FILTER,
    Finish.REFUSAL: StoppedBy.REFUSAL,
}
_REASONS = {
    StoppedBy.OUTPUT_LIMIT: "the reply was cut at the model's output limit",
    StoppedBy.CONTENT_FILTER: "the reply was stopped by the content filter",
    StoppedBy.REFUSAL: "the model refused to go on",
    StoppedBy.PERSON: "the person stopped the turn",
}
_ROW_STATUS = {
    Status.DONE: RowStatus.DONE,
    Status.PENDING: RowStatus.WAITING,
    Status.INCOMPLETE: RowStatus.FAILED,
    Status.ERROR: RowStatus.FAILED,
    Status.INTERRUPTED: RowStatus.CANCELLED,
    Status.HOST_GONE: RowStatus.CANCELLED,
}
_DONE = Ending(Status.DONE)
_NOT_VERIFIED = Ending(Status.INCOMPLETE, StoppedBy.COMPLETION)


def begin(telling: Telling, prompt: str) -> None:
    """Open a turn with the user's message."""
    turn_id = f"t{telling.run.turn_count + 1}"
    telling.say_aside(
        Row,
        turn=turn_id,
        id=turn_id,
        kind=RowKind.TURN,
        status=RowStatus.RUNNING,
        started_at=telling.at,
    )
    say_user(telling, prompt)


def advance(telling: Telling) -> None:
    """Do what can be done next in the turn without waiting for anything."""
    calls.record_results(telling)
    turn = telling.turn
    open_row = turn.round or turn.check
    if open_row is not None or any(call.phase is Phase.RUNNING for call in turn.calls):
        return
    if turn.stopping is not None:
        finish(telling, turn.stopping)
    elif turn.retry_at is not None:
        return
    elif any(call.phase is not Phase.SETTLED for call in turn.calls):
        _start_next_call(telling)
    elif turn.calls or user_spoke_last(telling):
        start_round(telling)
    elif turn.verified is False:
        finish(telling, _NOT_VERIFIED)
    elif turn.steers:
        start_round(telling)
    elif completion.is_due(telling):
        completion.look(telling)
    else:
        finish(telling, _DONE)


def _start_next_call(telling: Telling) -> None:
    call = next(call for call in telling.turn.calls if call.phase is not Phase.SETTLED)
    if call.phase is not Phase.CLEARED:
        return
    limit = call_limit(telling.turn, telling.run.budget)
    if limit is None:
        calls.start(telling, call)
    else:
        finish(telling, Ending(Status.INCOMPLETE, limit))


def start_round(telling: Telling) -> None:
    """Make the next model request, unless a limit forbids it. Steers are taken with it as one message; while
    the user's last message is still unanswered they wait, as some providers refuse two in a row (T18).
    """
    limit = round_limit(telling.turn, telling.run.budget, telling.at)
    if limit is not None:
        finish(telling, Ending(Status.INCOMPLETE, limit))
        return
    if telling.turn.steers and not user_spoke_last(telling):
        say_user(telling, "\n\n".join(telling.turn.steers))
    number = telling.turn.round_rows + 1
    telling.say(
        Row,
        id=f"{telling.turn.id}.r{number}",
        parent=telling.turn.id,
        kind=RowKind.ROUND,
        status=RowStatus.RUNNING,
        started_at=telling.at,
    )


# --- replies ----------------------------------------------------------------------------------------------


def model_ended(telling: Telling, row: str, outcome: ModelOutcome) -> None:
    """Take what came of the open round."""
    if isinstance(outcome, ModelReply):
        _reply_came(telling, row, outcome)
    elif telling.turn.stopping is not None:
        _round_stopped(telling, row, outcome)
    else:
        _fault_came(telling, row, outcome)


def _reply_came(telling: Telling, row: str, reply: ModelReply) -> None:
    telling.say(Row, id=row, status=RowStatus.DONE, ended_at=telling.at, usage=reply.usage)
    if reply.note is not None:
        telling.remark(Level.WARNING, notices.INFERRED_END, reply.note)
    content = tuple(block for block in reply.content if not _is_blank(block))
    if all(isinstance(block, Reasoning) for block in content):
        what = "The model's reply held no text and no call."
        telling.remark(Level.WARNING, notices.EMPTY_REPLY, what)
    else:
        _record_reply(telling, row, content)
    ending = _early_ending(telling, reply.finish)
    if ending is not None and telling.turn.stopping is None:
        finish(telling, ending)


def _record_reply(
    telling: Telling, row: str, content: tuple[Text | Reasoning | ProposedCall, ...]
) -> None:
    proposed = tuple(block for block in content if isinstance(block, ProposedCall))
    uses = calls.tool_uses(telling.turn, proposed)
    message = TranscriptMessage(role=Role.ASSISTANT, content=_with_ids(content, uses))
    telling.say(Message, index=len(telling.run.messages), message=message, row=row)
    calls.open_calls(telling, uses)


def _early_ending(telling: Telling, label: Finish) -> Ending | None:
    """Say whether the turn ends with this reply whatever it proposes.

    Of a reply that was cut short no call runs (T14). When no call may run any more, no person is asked about
    one. A reply without text and calls is asked for once more (T11, A46), but not after a tool, whose effect
    could be repeated; there it means that nothing is left to say (A47).
    """
    if label in _CUT_SHORT:
        return Ending(Status.INCOMPLETE, _CUT_SHORT[label])
    limit = call_limit(telling.turn, telling.run.budget)
    if telling.turn.calls and limit is not None:
        return Ending(Status.INCOMPLETE, limit)
    if telling.turn.empties > 1 and user_spoke_last(telling):
        message = "The model's reply held no text and no call, twice."
        error = WireError(code=ErrorCode.NO_ANSWER, message=message, fault=Blame.PROVIDER)
        return Ending(Status.ERROR, error=error)
    return None


def _is_blank(block: Text | Reasoning | ProposedCall) -> bool:
    return isinstance(block, Text) and not block.text.strip()


def _with_ids(
    content: tuple[Text | Reasoning | ProposedCall, ...], uses: tuple[ToolUse, ...]
) -> tuple[Text | Reasoning | ToolUse, ...]:
    numbered = iter(uses)
    return tuple(next(numbered) if isinstance(block, ProposedCall) else block for block in content)


def _round_stopped(telling: Telling, row: str, fault: ModelFault) -> None:
    """The request was stopped on our side; of its text the model will know that it was cut (wire 3)."""
    telling.say(Row, id=row, status=RowStatus.CANCELLED, ended_at=telling.at, usage=fault.usage)
    if fault.partial.strip():
        say_assistant(telling, fault.partial, row)


def _fault_came(telling: Telling, row: str, fault: ModelFault) -> None:
    telling.say(
        Row,
        id=row,
        status=RowStatus.FAILED,
        ended_at=telling.at,
        usage=fault.usage,
        error=fault.error,
    )
    seconds = wait_before_retry(fault, telling.turn.tries)
    if seconds is None:
        finish(telling, Ending(Status.ERROR, error=last_error(fault)))
        return
    telling.remark(
        Level.WARNING,
        notices.RETRY,
        f"{fault.error.message} Trying again in {seconds:g} s.",
        {"row": row, "seconds": seconds, "code": fault.error.code},
    )


# --- the end ----------------------------------------------------------------------------------------------


def finish(telling: Telling, ending: Ending) -> None:
    """End the turn. What still runs is given up as ``unknown_effect``; nothing with its id follows."""
    turn = telling.turn
    close_requests(telling, ClosedBy.INTERRUPTED)
    calls.lose_running_calls(telling)
    calls.cancel_calls(telling, f"{_reason(ending)}.")
    calls.record_results(telling)
    if turn.round is not None:
        telling.say(Row, id=turn.round, status=RowStatus.CANCELLED, ended_at=telling.at)
    completion.lose_open_check(telling)
    texts, untaken = telling.turn.texts, telling.turn.steers
    _make_replayable(telling, ending)
    turn = telling.turn
    telling.say(
        Row,
        id=turn.id,
        status=_ROW_STATUS[ending.status],
        ended_at=telling.at,
        error=UNSET if ending.error is None else ending.error,
    )
    telling.say(
        TurnEnd,
        status=ending.status,
        stopped_by=ending.stopped_by,
        text="\n\n".join(texts),
        output=None,
        attempts=turn.attempts,
        rounds=turn.rounds,
        usage=turn.usage,
        denials=turn.denials,
        untaken=untaken,
        messages=len(telling.run.messages),
        error=ending.error,
    )


def close_requests(telling: Telling, by: ClosedBy) -> None:
    """Close every open request: those about the calls of the turn, or between turns the chat's question."""
    for request in telling.run.requests:
        telling.say(HumanClosed, id=request.id, action=None, by=by)


def _reason(ending: Ending) -> str:
    if ending.stopped_by is not None and ending.stopped_by in _REASONS:
        return _REASONS[ending.stopped_by]
    if ending.status is Status.INCOMPLETE:
        return f"the turn reached a limit ({ending.stopped_by})"
    return f"the turn ended ({ending.status})"


def _make_replayable(telling: Telling, ending: Ending) -> None:
    """Leave a transcript in which the model has spoken last. A turn that failed before the model said
    anything is forgotten (C6).
    """
    messages = telling.run.messages
    if messages[-1].role is Role.ASSISTANT:
        return
    untouched = all(m.role is Role.USER for m in messages[telling.turn.first_message :])
    if ending.status is Status.ERROR and untouched:
        telling.say(Rewound, messages=telling.turn.first_message)
    else:
        text = (
            "(No answer.)" if ending.status is Status.DONE else f"(No answer: {_reason(ending)}.)"
        )
        say_assistant(telling, text, None)
