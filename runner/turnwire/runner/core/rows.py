"""How a turn looks after one of its rows: a round, a call, a look of the completion gate. Pure.

A part of the fold in ``evolve``, which knows the events.
"""

from __future__ import annotations

from msgspec.structs import replace

from turnwire.protocol.base import UNSET
from turnwire.protocol.rows import Row, RowKind, RowStatus
from turnwire.protocol.usage import add_usage
from turnwire.runner.core.state import Phase, Turn

__all__ = ["turn_after", "with_call"]


def turn_after(turn: Turn, event: Row) -> Turn:
    """Give ``turn`` after a row of it changed; a row that is nothing of the present changes nothing."""
    if event.kind == RowKind.ROUND or event.id == turn.round:
        return _round_row(turn, event)
    if event.kind == RowKind.CHECK or event.id == turn.check:
        return _check_row(turn, event)
    if all(call.id != event.id for call in turn.calls):
        return turn
    return _call_row(turn, event)


def with_call(turn: Turn, call_id: str, **changes: object) -> Turn:
    """Give ``turn`` with the fields of one of its calls replaced; a call of another reply changes nothing."""
    calls = tuple(replace(call, **changes) if call.id == call_id else call for call in turn.calls)
    return replace(turn, calls=calls)


def _round_row(turn: Turn, event: Row) -> Turn:
    if event.status is RowStatus.RUNNING:
        number = turn.round_rows + 1
        return replace(turn, round=event.id, round_rows=number, retry_at=None, verified=None)
    if event.usage is not UNSET and event.usage is not None:
        turn = replace(turn, usage=add_usage(turn.usage, event.usage))
    if event.status is RowStatus.DONE:
        return replace(turn, round=None, rounds=turn.rounds + 1, tries=0, calls=())
    return replace(turn, round=None, tries=turn.tries + 1)


def _call_row(turn: Turn, event: Row) -> Turn:
    match event.status:
        case RowStatus.PENDING if event.call is UNSET:
            return with_call(turn, event.id, phase=Phase.CLEARED)
        case RowStatus.WAITING:
            return with_call(turn, event.id, phase=Phase.WAITING)
        case RowStatus.RUNNING:
            return with_call(replace(turn, ran=turn.ran + 1), event.id, phase=Phase.RUNNING)
        case RowStatus.DENIED | RowStatus.FAILED | RowStatus.CANCELLED if event.error:
            return _never_ran(turn, event, event.error.message)
        case _:
            return turn


def _never_ran(turn: Turn, event: Row, text: str) -> Turn:
    if event.status is RowStatus.DENIED:
        named = [(call.name, call.digest, text) for call in turn.calls if call.id == event.id]
        turn = replace(turn, denials=turn.denials + 1, denied=(*turn.denied, *named))
    return with_call(turn, event.id, phase=Phase.SETTLED, held=text)


def _check_row(turn: Turn, event: Row) -> Turn:
    match event.status:
        case RowStatus.RUNNING:
            return replace(turn, check=event.id, attempts=turn.attempts + 1)
        case RowStatus.DONE | RowStatus.FAILED:
            return replace(turn, check=None, verified=event.status is RowStatus.DONE)
        case _:
            return replace(turn, check=None)
