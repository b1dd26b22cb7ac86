"""The host's lines: which are taken, which are refused and why, and what the taken ones do.

Each line is answered with exactly one ``accepted`` or ``refused``; a refused line changes nothing.
:func:`refusal` alone decides, so that the loop can ask it about a host that floods.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from turnwire.protocol.base import UNSET
from turnwire.protocol.commands import (
    Answer,
    Command,
    Interrupt,
    Rewind,
    Shutdown,
    Steer,
    ToolProgress,
    ToolResultLine,
)
from turnwire.protocol.endings import Status, StoppedBy
from turnwire.protocol.events import Accepted, Level, RefusalCode, Refused, Rewound
from turnwire.protocol.people import Action, ClosedBy, HumanClosed, HumanRequest, RequestKind, Scope
from turnwire.protocol.rows import DeniedBy
from turnwire.runner.core import calls, notices, turns
from turnwire.runner.core.evolve import is_chat_question
from turnwire.runner.core.inputs import (
    Answered,
    Denied,
    HostLineRead,
    HostLineRefused,
    HostLinesOverrun,
)
from turnwire.runner.core.shortening import shortened
from turnwire.runner.core.state import Ending, Run
from turnwire.runner.core.stops import announce_stop, stop_turn
from turnwire.runner.core.telling import Telling

__all__ = [
    "REASON_CHARACTERS",
    "Refusal",
    "close_request",
    "line_read",
    "line_refused",
    "lines_overrun",
    "refusal",
]

REASON_CHARACTERS = 4_000
"""How much of a person's reason the model reads; the host may write a thousand times as much."""


class Refusal(NamedTuple):
    """Why a line is refused."""

    code: RefusalCode
    message: str


def line_refused(telling: Telling, line: HostLineRefused) -> None:
    """Answer a line that was no command."""
    telling.say_aside(Refused, line=line.line, code=line.code, message=line.message, id=line.id)


def lines_overrun(telling: Telling, overrun: HostLinesOverrun) -> None:
    """Answer a range of lines that were refused while the host read none of its refusals."""
    telling.say_aside(
        Refused,
        lines=(overrun.first, overrun.last),
        code=RefusalCode.OVERRUN,
        message="These lines were refused; read what the child writes to see why lines are refused.",
    )


def line_read(telling: Telling, line: HostLineRead) -> None:
    """Answer a command and do what it says."""
    command = line.command
    named = getattr(command, "id", None)
    why = refusal(telling.run, command)
    if why is not None:
        telling.say_aside(Refused, line=line.line, code=why.code, message=why.message, id=named)
        return
    # Refused as long as no tool is the host's.
    assert not isinstance(command, ToolResultLine | ToolProgress)
    telling.say_aside(Accepted, line=line.line, id=named)
    _obey(telling, command)


def refusal(run: Run, command: Command) -> Refusal | None:
    """Say why ``command`` is refused now, or None if it is taken."""
    match command:
        case Answer():
            return _answer_refusal(run, command)
        case ToolResultLine() | ToolProgress():
            return Refusal(
                RefusalCode.UNKNOWN_ID, f"No tool of the host has the call {command.id!r}."
            )
        case Steer():
            return _steer_refusal(run, command)
        case Interrupt():
            return _turn_refusal(run, None if command.turn is UNSET else command.turn)
        case Rewind():
            return _rewind_refusal(run, command)
        case Shutdown():
            return None
        case _:
            assert_never(command)


def _turn_refusal(run: Run, turn_id: str | None) -> Refusal | None:
    if run.turn is None:
        return Refusal(RefusalCode.NO_TURN, "No turn is in progress.")
    if turn_id is not None and turn_id != run.turn.id:
        return Refusal(RefusalCode.NO_TURN, f"The turn in progress is {run.turn.id!r}.")
    if run.turn.stopping is not None:
        return Refusal(RefusalCode.ENDING, "The turn is being stopped.")
    return None


def _steer_refusal(run: Run, steer: Steer) -> Refusal | None:
    if not steer.text.strip():
        return Refusal(RefusalCode.INVALID_CONTENT, "A steer needs some text.")
    return _turn_refusal(run, None)


def _rewind_refusal(run: Run, command: Rewind) -> Refusal | None:
    if run.turn is not None:
        return Refusal(RefusalCode.TURN_IN_PROGRESS, "A turn is in progress; interrupt it first.")
    if command.to is not None and all(mark.id != command.to for mark in run.turns):
        return Refusal(RefusalCode.UNKNOWN_TURN, f"No turn {command.to!r} is in the transcript.")
    return None


# --- answers ----------------------------------------------------------------------------------------------


def _answer_refusal(run: Run, answer: Answer) -> Refusal | None:
    request = next((request for request in run.requests if request.id == answer.id), None)
    if request is None:
        return _not_open(run, answer.id)
    if answer.action not in request.actions:
        return Refusal(RefusalCode.WRONG_KIND, f"This request takes no {answer.action!r}.")
    if answer.arguments is not UNSET:
        return Refusal(RefusalCode.WRONG_KIND, "The arguments of this request cannot be edited.")
    if answer.scope is not Scope.ONCE and answer.scope not in request.scopes:
        return Refusal(RefusalCode.WRONG_KIND, f"This request has no scope {answer.scope!r}.")
    shown = None if request.metadata is None else request.metadata.arguments_sha256
    if answer.arguments_sha256 is not UNSET and answer.arguments_sha256 != shown:
        return Refusal(
            RefusalCode.DIGEST_MISMATCH, "arguments_sha256 is not the one that was shown."
        )
    if request.kind == RequestKind.ELICIT and answer.action is Action.ACCEPT:
        return _content_refusal(answer)
    return None


def _not_open(run: Run, request_id: str) -> Refusal:
    number = request_id[1:] if request_id[:1] == "q" else ""
    asked = number.isascii() and number.isdecimal() and len(number) < 16
    if asked and str(int(number)) == number and 1 <= int(number) <= run.request_count:
        return Refusal(RefusalCode.ALREADY_CLOSED, f"The request {request_id!r} is closed.")
    return Refusal(RefusalCode.UNKNOWN_ID, f"There is no request {request_id!r}.")


def _content_refusal(answer: Answer) -> Refusal | None:
    """Check the content of an accepted chat question, the one elicit that the core itself asks."""
    message = None if answer.content is UNSET else answer.content.get("message")
    if isinstance(message, str) and message.strip():
        return None
    expected = 'An accepted answer needs {"content": {"message": "…"}} with some text.'
    return Refusal(RefusalCode.INVALID_CONTENT, expected)


# --- what the taken ones do -------------------------------------------------------------------------------


def _obey(telling: Telling, command: Answer | Steer | Interrupt | Rewind | Shutdown) -> None:
    match command:
        case Answer():
            _answer(telling, command)
        case Steer():
            data = {"text": command.text}
            telling.remark(Level.INFO, notices.STEER_QUEUED, "Taken at the next round.", data)
        case Interrupt():
            stop_turn(telling, Ending(Status.INTERRUPTED, StoppedBy.INTERRUPT))
        case Rewind():
            telling.say_aside(Rewound, messages=_kept_messages(telling.run, command.to))
        case Shutdown():
            telling.remark(Level.INFO, notices.SHUTDOWN, "No further turn will start.")
        case _:
            assert_never(command)


def _kept_messages(run: Run, to: str | None) -> int:
    return next((mark.messages for mark in run.turns if mark.id == to), 0)


def _answer(telling: Telling, answer: Answer) -> None:
    request = next(request for request in telling.run.requests if request.id == answer.id)
    closing = Answered(
        request=answer.id,
        by=ClosedBy.HUMAN,
        action=answer.action,
        scope=answer.scope if answer.action is Action.ACCEPT else None,
        reason=None if answer.reason is UNSET else answer.reason,
    )
    stops = answer.stop and telling.run.turn is not None
    if stops:
        # Said before the request is closed, so that an accepted call is not started only to be ended.
        announce_stop(telling, "turn", Ending(Status.INCOMPLETE, StoppedBy.PERSON))
    close_request(telling, request, closing)
    if stops:
        turns.close_requests(telling, ClosedBy.INTERRUPTED)
    if is_chat_question(request) and answer.action is Action.ACCEPT and answer.content is not UNSET:
        turns.begin(telling, answer.content["message"])


def close_request(telling: Telling, request: HumanRequest, closing: Answered) -> None:
    """Close an open request, and clear or deny the call that it is about."""
    telling.say(
        HumanClosed,
        id=request.id,
        action=closing.action,
        by=closing.by,
        scope=None if is_chat_question(request) else closing.scope,
        reason=closing.reason,
    )
    if request.row is None:
        return
    if closing.by is ClosedBy.HUMAN and closing.action is Action.ACCEPT:
        calls.clear(telling, request.row)
    else:
        by = _DENIED_BY.get(closing.by, DeniedBy.HUMAN)
        calls.deny(telling, Denied(call=request.row, by=by, text=_denial(closing)))


_DENIED_BY = {
    ClosedBy.NO_ANSWERER: DeniedBy.NO_ANSWERER,
    ClosedBy.CHANNEL_LOST: DeniedBy.CHANNEL_LOST,
    ClosedBy.DEADLINE: DeniedBy.DEADLINE,
}
_WHY_DENIED = {
    ClosedBy.NO_ANSWERER: "this call needs a person's approval, and nobody can give it in this run",
    ClosedBy.CHANNEL_LOST: "this call needs a person's approval, and the channel to the person is lost",
    ClosedBy.DEADLINE: "this call needs a person's approval, and nobody answered in time",
}
_INSTEAD = "Do not ask for this call again: go on without it, or say what you would have done."


def _denial(closing: Answered) -> str:
    if closing.by is ClosedBy.HUMAN and closing.action is Action.CANCEL:
        why = "the person dismissed the question"
    else:
        why = _WHY_DENIED.get(closing.by, "the person declined this call")
    said = (
        f" The person says: {shortened(closing.reason, REASON_CHARACTERS)}"
        if closing.reason
        else ""
    )
    return f"denied: {why}.{said} {_INSTEAD}"
