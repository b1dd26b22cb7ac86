"""Waiting for work that may have to be stopped, and for no longer than a stop may take.

Owns the one rule of cancellation for work that runs beside us: ask it to end, wait a bounded time,
say how it ended, let the cancellation pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import anyio

from turnwire.runner.core.ports import ToolContext, ToolEnd, ToolOutcome
from turnwire.runner.tools.executors.threads import Ended

__all__ = ["wait_or_leave"]


async def wait_or_leave(
    work: asyncio.Future[Ended],
    context: ToolContext,
    *,
    stop: Callable[[], object],
    grace_seconds: float,
    outcome: Callable[[Ended], ToolOutcome],
) -> ToolOutcome:
    """Wait for ``work`` and turn what came of it into an outcome.

    On cancellation ``stop`` is called, the work has ``grace_seconds`` to end, and
    ``context.stopped`` is told: cancelled with what it still said, or left behind. Raises what the
    work raised.
    """
    try:
        await asyncio.wait({work})
    except asyncio.CancelledError:
        stop()
        with anyio.move_on_after(grace_seconds, shield=True):
            await asyncio.wait({work})
        context.stopped(_stopped(work, outcome))
        raise
    if work.cancelled():
        raise RuntimeError("it cancelled itself")
    return outcome(work.result())


def _stopped(work: asyncio.Future[Ended], outcome: Callable[[Ended], ToolOutcome]) -> ToolOutcome:
    if not work.done():
        words = "It could not be stopped and was left behind; what it still does is unknown."
        return ToolOutcome(words, is_error=True, end=ToolEnd.LEFT_BEHIND)
    if work.cancelled() or work.result().error is not None:
        return ToolOutcome("Stopped before it was finished.", is_error=True, end=ToolEnd.CANCELLED)
    said = outcome(work.result())
    return ToolOutcome(said.content, is_error=said.is_error, end=ToolEnd.CANCELLED)
