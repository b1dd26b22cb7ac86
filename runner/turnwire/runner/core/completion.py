"""The completion gate: a turn that would report done is looked at first, and sent back if it does not pass.

Owns when the gate looks, and what the model is told. Who looks is a worker; what it found comes back as a
:class:`CompletionVerdict`. The gate looks where done would be reported and nowhere else (K1): limits and stops
go before it (K7).
"""

from __future__ import annotations

from turnwire.protocol.base import UNSET
from turnwire.protocol.messages import Role
from turnwire.protocol.rows import Result, Row, RowKind, RowStatus
from turnwire.runner.core.inputs import CompletionVerdict
from turnwire.runner.core.ports import ToolEnd
from turnwire.runner.core.saying import say_assistant, say_user
from turnwire.runner.core.telling import Telling

__all__ = ["is_due", "look", "looked", "lose_open_check"]


_ENDS = {
    ToolEnd.DONE: RowStatus.DONE,
    ToolEnd.CANCELLED: RowStatus.CANCELLED,
    ToolEnd.LEFT_BEHIND: RowStatus.UNKNOWN_EFFECT,
}


def is_due(telling: Telling) -> bool:
    """Say whether the gate still has to look at what the model has done."""
    return telling.run.completion is not None and not telling.turn.verified


def look(telling: Telling) -> None:
    """Open the row of the next look."""
    turn = telling.turn
    telling.say(
        Row,
        id=f"{turn.id}.k{turn.attempts + 1}",
        parent=turn.id,
        kind=RowKind.CHECK,
        status=RowStatus.RUNNING,
        started_at=telling.at,
    )


def looked(telling: Telling, verdict: CompletionVerdict) -> None:
    """Take what the gate found. Work that did not pass is sent back to the model as long as it has attempts."""
    result = Result(
        is_error=not verdict.passed,
        chars=verdict.chars,
        truncated=verdict.truncated,
        preview=verdict.preview,
        spill=UNSET if verdict.spill is None else verdict.spill,
    )
    status = _ENDS[verdict.end]
    if status is RowStatus.DONE and not verdict.passed:
        status = RowStatus.FAILED
    telling.say(Row, id=verdict.row, status=status, ended_at=telling.at, result=result)
    gate, turn = telling.run.completion, telling.turn
    if gate is None or turn.verified is not False or turn.stopping is not None:
        return
    if turn.attempts < gate.max_attempts:
        _send_back(telling, verdict.reason, gate.max_attempts)


def _send_back(telling: Telling, reason: str, most: int) -> None:
    if telling.run.messages[-1].role is not Role.ASSISTANT:
        # After a tool the model may have had nothing left to say.
        say_assistant(telling, "(No answer.)", None)
    attempt = f"attempt {telling.turn.attempts} of {most}"
    words = f"The work did not verify ({attempt}). The check says:\n\n{reason}\n\nFix this, then finish."
    # What a person said meanwhile is taken with it: providers refuse two messages of a user in a row (T18).
    say_user(telling, "\n\n".join([words, *telling.turn.steers]))


def lose_open_check(telling: Telling) -> None:
    """Give up a look that is under way; what its command has done is unknown."""
    if telling.turn.check is not None:
        telling.say(
            Row,
            id=telling.turn.check,
            status=RowStatus.UNKNOWN_EFFECT,
            ended_at=telling.at,
        )
