"""The calls of one reply: reviewed together, run one at a time in order, each given exactly one result.

Owns what a call goes through from its proposal to its result in the transcript. The result of a call that
never ran is held until those before it have theirs, so that results always stand in the order of the calls
(T8, T10).
"""

from __future__ import annotations

from msgspec import Raw

from turnwire.protocol.base import UNSET
from turnwire.protocol.content import Image, Text, ToolResult, ToolUse
from turnwire.protocol.events import Message
from turnwire.protocol.faults import Blame, WireError
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.protocol.people import (
    Action,
    HumanRequest,
    OnDeadline,
    RequestKind,
    RequestMetadata,
    Scope,
)
from turnwire.protocol.rows import Call as CallPreview
from turnwire.protocol.rows import DeniedBy, Progress, Result, Row, RowKind, RowStatus
from turnwire.protocol.text import visible
from turnwire.runner.core.budget import call_limit
from turnwire.runner.core.inputs import Denied, PutToPerson, Rejected, ToolEnded
from turnwire.runner.core.ports import ProposedCall, ToolEnd
from turnwire.runner.core.state import Call, Phase, Turn
from turnwire.runner.core.telling import Telling

__all__ = [
    "PREVIEW_CHARACTERS",
    "cancel_calls",
    "clear",
    "deny",
    "lose_running_calls",
    "open_calls",
    "put_to_person",
    "record_results",
    "reject",
    "start",
    "tool_ended",
    "tool_uses",
]

PREVIEW_CHARACTERS = 400
"""How much of the arguments a row shows."""

_UNKNOWN_EFFECT = (
    "This call was started and its end was not observed. Its effect is unknown: find out how things stand "
    "before you repeat it."
)


def tool_uses(turn: Turn, proposed: tuple[ProposedCall, ...]) -> tuple[ToolUse, ...]:
    """Give each proposed call its own id, unique in the session; the provider's is kept aside (T9)."""
    return tuple(
        ToolUse(
            id=f"{turn.id}.c{turn.call_count + number}",
            name=call.name,
            arguments=Raw(call.arguments),
            invalid=UNSET if call.invalid is None else call.invalid,
            provider_call_id=UNSET if call.provider_call_id is None else call.provider_call_id,
            provider=UNSET if call.provider is None else call.provider,
            opaque=UNSET if call.opaque is None else Raw(call.opaque),
        )
        for number, call in enumerate(proposed, start=1)
    )


def open_calls(telling: Telling, uses: tuple[ToolUse, ...]) -> None:
    """Open the row of each new call; one that was refused before in this turn is refused from memory."""
    for call, use in zip(telling.turn.calls, uses, strict=True):
        telling.say(
            Row,
            id=call.id,
            parent=telling.turn.id,
            kind=RowKind.TOOL,
            status=RowStatus.PENDING,
            title=visible(call.name, 80),
            call=CallPreview(
                name=call.name,
                preview=visible(call.arguments.decode(), PREVIEW_CHARACTERS),
                arguments_sha256=call.digest,
                provider_call_id=use.provider_call_id,
            ),
        )
        _denied_before(telling, call)


def _denied_before(telling: Telling, call: Call) -> bool:
    """Deny a call for the reason that the same one was denied for in this turn, if it was (P8, C19)."""
    for name, digest, text in telling.turn.denied:
        if (name, digest) == (call.name, call.digest) and call.invalid is None:
            deny(telling, Denied(call=call.id, by=DeniedBy.MEMORY, text=text))
            return True
    return False


# --- verdicts ---------------------------------------------------------------------------------------------


def clear(telling: Telling, call_id: str) -> None:
    """The call may run: now if it is the next in line, else when its turn comes."""
    turn = telling.turn
    following = next(call for call in turn.calls if call.phase is not Phase.SETTLED)
    held_up = turn.stopping is not None or call_limit(turn, telling.run.budget) is not None
    if following.id == call_id and not held_up:
        start(telling, following)
    else:
        cleared = Progress(message="cleared to run")
        telling.say(Row, id=call_id, status=RowStatus.PENDING, progress=cleared)


def reject(telling: Telling, verdict: Rejected) -> None:
    """The call cannot run."""
    error = WireError(code=verdict.code, message=verdict.text, fault=Blame.PROVIDER)
    telling.say(
        Row,
        id=verdict.call,
        status=RowStatus.FAILED,
        ended_at=telling.at,
        error=error,
        progress=None,
    )


def deny(telling: Telling, verdict: Denied) -> None:
    """The call is not permitted."""
    error = WireError(code="denied", message=verdict.text, fault=Blame.HOST)
    telling.say(
        Row,
        id=verdict.call,
        status=RowStatus.DENIED,
        ended_at=telling.at,
        denied_by=verdict.by,
        error=error,
    )


def put_to_person(telling: Telling, verdict: PutToPerson) -> None:
    """Ask a person about the call, unless the same call was accepted for the session or denied in this turn."""
    call = next(call for call in telling.turn.calls if call.id == verdict.call)
    if (call.name, call.digest) in telling.run.grants:
        clear(telling, call.id)
        return
    if _denied_before(telling, call):
        return
    telling.say(
        HumanRequest,
        id=f"q{telling.run.request_count + 1}",
        step=1,
        row=call.id,
        kind=RequestKind.CONFIRM,
        message=verdict.message,
        expects_response=True,
        data={"reach": list(verdict.reach), "lines": list(verdict.lines)},
        actions=(Action.ACCEPT, Action.DECLINE, Action.CANCEL),
        scopes=(Scope.ONCE, Scope.SESSION),
        on_deadline=OnDeadline.REFUSE,
        metadata=RequestMetadata(
            tool_use_id=call.id, tool_name=call.name, arguments_sha256=call.digest
        ),
    )
    telling.say(Row, id=call.id, status=RowStatus.WAITING)


# --- running ----------------------------------------------------------------------------------------------


def start(telling: Telling, call: Call) -> None:
    """Say that the call is started; only then is it run."""
    telling.say(Row, id=call.id, status=RowStatus.RUNNING, started_at=telling.at, progress=None)


def tool_ended(telling: Telling, ended: ToolEnded) -> None:
    """Record what came of a call that ran: the result first, so that no crash can lose it."""
    _say_result(telling, ended.call, ended.content, is_error=ended.is_error)
    telling.say(
        Row,
        id=ended.call,
        status=_row_status(ended),
        ended_at=telling.at,
        result=Result(
            is_error=ended.is_error,
            chars=ended.chars,
            truncated=ended.truncated,
            preview=ended.preview,
            spill=UNSET if ended.spill is None else ended.spill,
        ),
    )


def _row_status(ended: ToolEnded) -> RowStatus:
    if ended.end is ToolEnd.CANCELLED:
        return RowStatus.CANCELLED
    if ended.end is ToolEnd.LEFT_BEHIND:
        return RowStatus.UNKNOWN_EFFECT
    return RowStatus.FAILED if ended.is_error else RowStatus.DONE


def record_results(telling: Telling) -> None:
    """Put the held results into the transcript, up to the first call that has none yet."""
    for call in telling.turn.calls:
        if call.phase is not Phase.SETTLED:
            return
        if not call.recorded:
            text = call.held or "(no output)"
            _say_result(telling, call.id, (Text(text=text),), is_error=True)


def _say_result(
    telling: Telling, call_id: str, content: tuple[Text | Image, ...], *, is_error: bool
) -> None:
    result = ToolResult(tool_use_id=call_id, content=content, is_error=is_error)
    message = TranscriptMessage(role=Role.TOOL, content=(result,))
    telling.say(Message, index=len(telling.run.messages), message=message, row=call_id)


# --- stopping ---------------------------------------------------------------------------------------------


def cancel_calls(telling: Telling, reason: str) -> None:
    """Settle every call that was not started: it will not run, and the model is told why."""
    for call in telling.turn.calls:
        if call.phase in (Phase.PROPOSED, Phase.WAITING, Phase.CLEARED):
            error = WireError(code="not_run", message=f"Not run: {reason}", fault=Blame.HOST)
            telling.say(
                Row,
                id=call.id,
                status=RowStatus.CANCELLED,
                ended_at=telling.at,
                error=error,
                progress=None,
            )


def lose_running_calls(telling: Telling) -> None:
    """Settle every call that was started and whose end nobody will observe."""
    for call in telling.turn.calls:
        if call.phase is Phase.RUNNING:
            record_results(telling)
            _say_result(telling, call.id, (Text(text=_UNKNOWN_EFFECT),), is_error=True)
            telling.say(Row, id=call.id, status=RowStatus.UNKNOWN_EFFECT, ended_at=telling.at)
