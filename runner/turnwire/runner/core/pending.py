"""``pending(run) -> [job]``: what is still to do, as a function of the state alone. Pure.

While a turn is being stopped, only what runs is offered, marked to be ended; nothing new is.
"""

from __future__ import annotations

from collections.abc import Iterator

from turnwire.runner.core.budget import deadline
from turnwire.runner.core.jobs import (
    CATCH_UP_KEY,
    AskPerson,
    CallModel,
    CatchUp,
    CheckCompletion,
    Job,
    Review,
    RunTool,
    Wait,
    WatchDeadline,
    review_key,
)
from turnwire.runner.core.state import Call, Phase, Run, Turn
from turnwire.runner.core.stops import is_over

__all__ = ["pending"]


def pending(run: Run) -> list[Job]:
    """List the jobs of ``run``, each key once."""
    if run.ended:
        return []
    if is_over(run):
        return [CatchUp(key=CATCH_UP_KEY)]
    jobs: list[Job] = [AskPerson(key=request.id, request=request) for request in run.requests]
    if run.turn is not None:
        jobs.extend(_of_turn(run, run.turn))
    return jobs


def _of_turn(run: Run, turn: Turn) -> Iterator[Job]:
    stop = turn.stopping is not None
    until = deadline(turn, run.budget)
    if turn.round is not None:
        yield CallModel(key=turn.round, stop=stop, messages=run.messages)
    if turn.check is not None:
        yield CheckCompletion(key=turn.check, stop=stop, turn=turn.id, attempt=turn.attempts)
    for call in turn.calls:
        if call.phase is Phase.RUNNING:
            yield _run_tool(turn, call, stop=stop)
        elif call.phase is Phase.PROPOSED and not stop:
            yield _review(turn, call)
    if turn.retry_at is not None:
        yield Wait(key=f"{turn.id}.wait.{turn.retry_at}", until=turn.retry_at)
    if until is not None and not stop:
        yield WatchDeadline(key=f"{turn.id}.deadline.{until}", until=until)


def _review(turn: Turn, call: Call) -> Review:
    return Review(
        key=review_key(call.id),
        call=call.id,
        turn=turn.id,
        name=call.name,
        arguments=call.arguments,
        digest=call.digest,
        invalid=call.invalid,
    )


def _run_tool(turn: Turn, call: Call, *, stop: bool) -> RunTool:
    return RunTool(key=call.id, stop=stop, turn=turn.id, name=call.name, arguments=call.arguments)
