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

from typing import assert_never

from turnwire.protocol.endings import Status, StoppedBy, exit_code
from turnwire.protocol.events import End, Level, Ready, Settled
from turnwire.protocol.people import (
    CHAT_MESSAGE_FORMAT,
    Action,
    ClosedBy,
    HumanRequest,
    RequestKind,
)
from turnwire.runner.core import calls, completion, host_lines, notices, stops, turns
from turnwire.runner.core.inputs import (
    Answered,
    ChannelEnded,
    Cleared,
    Command,
    CompletionVerdict,
    DeadlinePassed,
    DeltasDropped,
    Denied,
    Failed,
    Finding,
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
from turnwire.runner.core.pending import pending
from turnwire.runner.core.state import Ending, Run
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
    if not run.ended and _is_due(run, received):
        if isinstance(received, Finding):
            _take_finding(telling, received)
        else:
            _take_command(telling, received)
        _advance(telling)
    return telling.events, telling.run


def _is_due(run: Run, received: Input) -> bool:
    if isinstance(received, Finding):
        return any(job.key == received.job for job in pending(run))
    return True


def _advance(telling: Telling) -> None:
    if telling.run.ended:
        return
    if telling.run.turn is not None:
        turns.advance(telling)
    if telling.run.turn is None and telling.run.ready:
        _between_turns(telling)


def _between_turns(telling: Telling) -> None:
    if stops.is_over(telling.run):
        turns.close_requests(telling, ClosedBy.RUN_ENDED)
    elif not telling.run.requests:
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


# --- commands ---------------------------------------------------------------------------------------------


def _take_command(telling: Telling, command: Command) -> None:
    match command:
        case Loaded():
            _loaded(telling, command)
        case Failed():
            _end_now(telling, Ending(Status.ERROR, error=command.error))
        case HostLineRead():
            host_lines.line_read(telling, command)
        case HostLineRefused():
            host_lines.line_refused(telling, command)
        case HostLinesOverrun():
            host_lines.lines_overrun(telling, command)
        case ChannelEnded():
            _channel_ended(telling, command)
        case Signalled():
            if stops.signalled(telling, command.signal):
                _end_now(telling, _how_it_ends(telling.run))
        case HostGone():
            stops.stop_run(telling, Ending(Status.HOST_GONE))
        case DeltasDropped():
            _deltas_dropped(telling, command)
        case Remarked():
            _remarked(telling, command)
        case _:
            assert_never(command)


def _loaded(telling: Telling, loaded: Loaded) -> None:
    if telling.run.ready:
        return
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


def _end_now(telling: Telling, ending: Ending) -> None:
    turns.close_requests(telling, ClosedBy.RUN_ENDED)
    if telling.run.turn is not None:
        turns.finish(telling, ending)
    _end(telling, ending)


def _channel_ended(telling: Telling, ended: ChannelEnded) -> None:
    if telling.run.answerable:
        message = f"Nobody can answer any more: {ended.reason}"
        telling.remark(Level.WARNING, notices.CHANNEL_LOST, message)
        _close_unanswerable(telling)


def _close_unanswerable(telling: Telling) -> None:
    """Close what nobody is there to answer."""
    absence = telling.run.absence
    if absence is not None:
        for request in telling.run.requests:
            host_lines.close_request(telling, request, Answered(request=request.id, by=absence))


def _deltas_dropped(telling: Telling, dropped: DeltasDropped) -> None:
    message = f"{dropped.count} deltas were not told because the reader is slow."
    data = {"count": dropped.count}
    telling.remark(Level.INFO, notices.DELTAS_DROPPED, message, data)


def _remarked(telling: Telling, remarked: Remarked) -> None:
    code = remarked.code
    if code in notices.FOLDED:
        code = f"remark_{code}"
    telling.remark(Level.WARNING, code, remarked.message)


# --- findings ---------------------------------------------------------------------------------------------


def _take_finding(telling: Telling, finding: Finding) -> None:
    match finding:
        case ModelEnded():
            turns.model_ended(telling, finding.row, finding.outcome)
        case Waited():
            turns.start_round(telling)
        case Cleared():
            calls.clear(telling, finding.call)
        case Rejected():
            calls.reject(telling, finding)
        case Denied():
            calls.deny(telling, finding)
        case PutToPerson():
            calls.put_to_person(telling, finding)
            _close_unanswerable(telling)
        case Answered():
            _answered(telling, finding)
        case ToolEnded():
            calls.tool_ended(telling, finding)
        case CompletionVerdict():
            completion.looked(telling, finding)
        case DeadlinePassed():
            stops.stop_turn(telling, Ending(Status.INCOMPLETE, StoppedBy.MAX_SECONDS))
        case ReaderCaughtUp():
            _end(telling, _how_it_ends(telling.run))
        case _:
            assert_never(finding)


def _answered(telling: Telling, answered: Answered) -> None:
    request = next(one for one in telling.run.requests if one.id == answered.request)
    host_lines.close_request(telling, request, answered)
