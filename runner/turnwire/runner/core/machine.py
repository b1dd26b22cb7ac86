"""``decide(run, input) -> events``: what is now true? Pure, and the only place where events come from.

Theory. State is the fold of events. An input is answered with the events that it makes true; the jobs that
are left are a function of the state. There are no callbacks and no effects: interrupting a turn is saying
events after which nothing is pending, and resuming a session is folding its log.

Rules
- Every input has an answer in every state. A finding whose job is no longer pending changes nothing: a late
  reply of a stopped turn must not be taken by the next one.
- After each input, :func:`_advance` does what can be done without waiting.
- After ``end`` nothing is said, and nothing is pending.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turnwire.protocol.endings import Status, StoppedBy, exit_code
from turnwire.protocol.events import End, Level, Ready, RefusalCode, Refused, Settled
from turnwire.protocol.people import (
    CHAT_MESSAGE_FORMAT,
    Action,
    ClosedBy,
    HumanClosed,
    HumanRequest,
    RequestKind,
)
from turnwire.runner.core import calls, host_lines, notices, stops, turns
from turnwire.runner.core.budget import deadline
from turnwire.runner.core.inputs import (
    Answered,
    ChannelEnded,
    Cleared,
    DeadlinePassed,
    DeltasDropped,
    Denied,
    Failed,
    HostGone,
    HostLineRead,
    HostLineRefused,
    HostLinesOverrun,
    Input,
    Loaded,
    ModelEnded,
    PutToPerson,
    ReaderCaughtUp,
    Rejected,
    Remarked,
    Signalled,
    ToolEnded,
    Waited,
)
from turnwire.runner.core.state import Ending, Phase, Run
from turnwire.runner.core.telling import Telling

__all__ = ["decide"]

_CHAT_SCHEMA = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "format": CHAT_MESSAGE_FORMAT, "title": "Message"},
    },
    "required": ["message"],
}


def decide(run: Run, at: int, received: Input) -> tuple[list[Settled], Run]:
    """Answer ``received``, which came at ``at`` milliseconds since the epoch.

    Gives the events that it makes true and the state after them, which is always the fold of ``run`` and
    those events.
    """
    telling = Telling(run, at)
    if not run.ended:
        _ANSWERS[type(received)](telling, received)
        _advance(telling)
    return telling.events, telling.run


def _advance(telling: Telling) -> None:
    if telling.run.ended:
        return
    if telling.run.turn is not None:
        turns.advance(telling)
    if telling.run.turn is None and telling.run.ready:
        _between_turns(telling)


def _between_turns(telling: Telling) -> None:
    if stops.is_over(telling.run):
        for request in telling.run.requests:
            closed = {"id": request.id, "action": None, "by": ClosedBy.RUN_ENDED}
            telling.say_aside(HumanClosed, **closed)
    elif telling.run.chat and not telling.run.requests:
        telling.say_aside(
            HumanRequest,
            id=f"q{telling.run.request_count + 1}",
            step=1,
            kind=RequestKind.ELICIT,
            message="What next?",
            expects_response=True,
            schema=_CHAT_SCHEMA,
            actions=(Action.ACCEPT, Action.DECLINE, Action.CANCEL),
        )


def _end(telling: Telling, ending: Ending) -> None:
    """Say ``end``, the last line."""
    run = telling.run
    seq = run.seq + 1
    error = ending.error
    code = exit_code(
        ending.status,
        stopped_by=ending.stopped_by,
        error=None if error is None else error.code,
        denied_in_absence=run.denied_in_absence,
    )
    telling.say_aside(
        End,
        status=ending.status,
        stopped_by=ending.stopped_by,
        exit_code=code,
        turns=run.turn_count,
        usage=run.usage,
        denials=run.denials,
        open_requests=tuple(request.id for request in run.requests),
        last_seq=seq,
        session=run.session,
        error=error,
    )


def _how_it_ends(run: Run) -> Ending:
    if run.stopping is not None:
        return run.stopping
    return Ending(Status.DONE) if run.chat or run.last is None else run.last


# --- answers to commands ----------------------------------------------------------------------------------


def _loaded(telling: Telling, loaded: Loaded) -> None:
    telling.say_aside(
        Ready,
        model=loaded.model,
        tools=loaded.tools,
        guardrails=loaded.guardrails,
        completion=loaded.completion,
        budget=loaded.budget,
    )
    if loaded.prompt is not None and telling.run.stopping is None:
        turns.begin(telling, loaded.prompt)


def _failed(telling: Telling, failed: Failed) -> None:
    _end_now(telling, Ending(Status.ERROR, error=failed.error))


def _end_now(telling: Telling, ending: Ending) -> None:
    if telling.run.turn is not None:
        turns.finish(telling, ending)
    _end(telling, ending)


def _signalled(telling: Telling, signalled: Signalled) -> None:
    if stops.signalled(telling, signalled.signal):
        _end_now(telling, _how_it_ends(telling.run))


def _host_gone(telling: Telling, gone: HostGone) -> None:
    stops.host_gone(telling)


def _channel_ended(telling: Telling, ended: ChannelEnded) -> None:
    if not telling.run.answerable:
        return
    telling.remark(
        Level.WARNING, notices.CHANNEL_LOST, f"Nobody can answer any more: {ended.reason}"
    )
    for request in telling.run.requests:
        closing = Answered(request=request.id, by=ClosedBy.CHANNEL_LOST)
        host_lines.close_request(telling, request, closing)


def _overrun(telling: Telling, overrun: HostLinesOverrun) -> None:
    telling.say_aside(
        Refused,
        lines=(overrun.first, overrun.last),
        code=RefusalCode.OVERRUN,
        message="These lines were refused; read what the child writes to see why lines are refused.",
    )


def _deltas_dropped(telling: Telling, dropped: DeltasDropped) -> None:
    message = f"{dropped.count} deltas were not told because the reader is slow."
    data = {"count": dropped.count}
    telling.remark(Level.INFO, notices.DELTAS_DROPPED, message, data)


def _remarked(telling: Telling, remarked: Remarked) -> None:
    telling.remark(Level.WARNING, remarked.code, remarked.message)


# --- answers to findings ----------------------------------------------------------------------------------


def _model_ended(telling: Telling, ended: ModelEnded) -> None:
    if telling.run.turn is not None and telling.run.turn.round == ended.row:
        turns.model_ended(telling, ended.row, ended.outcome)


def _waited(telling: Telling, waited: Waited) -> None:
    turn = telling.run.turn
    if turn is not None and turn.id == waited.turn and turn.retry_at is not None:
        turns.start_round(telling)


def _reviewed(telling: Telling, verdict: Cleared | Rejected | Denied | PutToPerson) -> None:
    call = calls.find(telling.run.turn, verdict.call, Phase.PROPOSED)
    if call is None:
        return
    match verdict:
        case Cleared():
            calls.clear(telling, call.id)
        case Rejected():
            calls.reject(telling, verdict)
        case Denied():
            calls.deny(telling, verdict)
        case PutToPerson():
            calls.put_to_person(telling, call, verdict)
            _close_if_nobody_is_there(telling)


def _close_if_nobody_is_there(telling: Telling) -> None:
    if telling.run.absence is None:
        return
    for request in telling.run.requests:
        closing = Answered(request=request.id, by=telling.run.absence)
        host_lines.close_request(telling, request, closing)


def _answered(telling: Telling, answered: Answered) -> None:
    for request in telling.run.requests:
        if request.id == answered.request:
            host_lines.close_request(telling, request, answered)


def _tool_ended(telling: Telling, ended: ToolEnded) -> None:
    if calls.find(telling.run.turn, ended.call, Phase.RUNNING) is not None:
        calls.tool_ended(telling, ended)


def _deadline_passed(telling: Telling, passed: DeadlinePassed) -> None:
    turn = telling.run.turn
    if turn is None or turn.id != passed.turn or turn.stopping is not None:
        return
    until = deadline(turn, telling.run.budget)
    if until is not None and telling.at >= until:
        stops.stop_turn(telling, Ending(Status.INCOMPLETE, StoppedBy.MAX_SECONDS))


def _reader_caught_up(telling: Telling, caught_up: ReaderCaughtUp) -> None:
    if stops.is_over(telling.run):
        _end(telling, _how_it_ends(telling.run))


_ANSWERS: dict[type[Input], Callable[[Telling, Any], None]] = {
    Loaded: _loaded,
    Failed: _failed,
    Signalled: _signalled,
    HostGone: _host_gone,
    ChannelEnded: _channel_ended,
    HostLineRead: host_lines.line_read,
    HostLineRefused: host_lines.line_refused,
    HostLinesOverrun: _overrun,
    DeltasDropped: _deltas_dropped,
    Remarked: _remarked,
    ModelEnded: _model_ended,
    Waited: _waited,
    Cleared: _reviewed,
    Rejected: _reviewed,
    Denied: _reviewed,
    PutToPerson: _reviewed,
    Answered: _answered,
    ToolEnded: _tool_ended,
    DeadlinePassed: _deadline_passed,
    ReaderCaughtUp: _reader_caught_up,
}
