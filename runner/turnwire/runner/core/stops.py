"""Stopping: a turn by a line, a limit or a signal; a run by a signal, a lost host, or our own failure.

A stop is said first and carried out by what it leaves pending: nothing new starts, what runs is ended by its
worker, and the turn ends when the last of it has been settled. A second interrupt does not wait for that.
"""

from __future__ import annotations

from turnwire.protocol.endings import Status, StoppedBy
from turnwire.protocol.events import Level, Notice
from turnwire.protocol.people import ClosedBy
from turnwire.runner.core import notices, turns
from turnwire.runner.core.inputs import Signal
from turnwire.runner.core.state import Ending, Run
from turnwire.runner.core.telling import Telling

__all__ = ["announce_stop", "is_over", "signalled", "stop_run", "stop_turn"]

_STOPPED_BY = {
    Signal.INTERRUPT: StoppedBy.INTERRUPT,
    Signal.TERMINATE: StoppedBy.TERMINATE,
    Signal.HANGUP: StoppedBy.HANGUP,
}


def is_over(run: Run) -> bool:
    """Say whether no further turn can start, so that only the end is left. A prompt that is being loaded is a
    turn that can.
    """
    if run.turn is not None:
        return False
    asks_for_more = run.chat and run.answerable and not run.closing
    return run.stopping is not None or (run.ready and not asks_for_more)


def stop_turn(telling: Telling, ending: Ending) -> None:
    """Stop the turn in progress; the session lives."""
    announce_stop(telling, "turn", ending)
    turns.close_requests(telling, ClosedBy.INTERRUPTED)


def stop_run(telling: Telling, ending: Ending) -> None:
    """Stop the turn in progress, if any, and the run after it. The first such stop says how the run ends."""
    if telling.run.stopping is None:
        announce_stop(telling, "run", ending)
        turns.close_requests(telling, ClosedBy.RUN_ENDED)


def signalled(telling: Telling, signal: Signal) -> bool:
    """Take a signal; True if nothing is to be waited for: a second interrupt, or one when all is over."""
    run, turn = telling.run, telling.run.turn
    if is_over(run):
        return True
    ending = Ending(Status.INTERRUPTED, _STOPPED_BY[signal])
    if turn is None or signal is not Signal.INTERRUPT:
        stop_run(telling, ending)
        return False
    again = turn.stopping is not None and turn.stopping.status is Status.INTERRUPTED
    if again or not run.chat:
        stop_run(telling, ending)
    else:
        stop_turn(telling, ending)
    return again


def announce_stop(telling: Telling, scope: str, ending: Ending) -> None:
    """Say that the turn or the run (``scope``) is being stopped; the caller closes what is open."""
    data = {"scope": scope, "status": ending.status, "stopped_by": ending.stopped_by}
    telling.say(
        Notice,
        level=Level.INFO,
        code=notices.STOPPING,
        message=f"The {scope} is being stopped.",
        data=data,
    )
