"""One call of one tool, from arguments to outcome.

Owns what becomes of an exception: whatever a tool raises is the tool's failure, told to the model,
and never ours. Must not decide whether the call may run, nor bound its result, which is
``results``.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any, cast

import anyio

from turnwire.runner.core.ports import Tool, ToolCallError, ToolContext, ToolOutcome

__all__ = ["FAILURE_CHARS", "run_call"]

FAILURE_CHARS = 2_000
"""The longest message of an exception that is passed on: enough for an assertion with its values.
"""


async def run_call(tool: Tool, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    """Run ``tool`` and give its outcome; never raises for the tool's failures.

    The words of a :class:`ToolCallError` are given exactly. Any other exception, SystemExit and
    KeyboardInterrupt included, gives its type and message, never a traceback, in which secrets
    stand. Cancellation of the call passes through; a tool that cancels itself has failed.
    """
    try:
        outcome = cast("object", await tool.run(arguments, context))
    except ToolCallError as error:
        return ToolOutcome(_message(error), is_error=True)
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        return failure(tool, "it cancelled itself")
    except GeneratorExit:
        raise
    except BaseException as error:  # noqa: BLE001 - where foreign code ends
        return failure(tool, _described(error))
    if not isinstance(outcome, ToolOutcome):
        return failure(tool, f"it returned {type(outcome).__name__}, not a ToolOutcome")
    return outcome


def failure(tool: Tool, words: str) -> ToolOutcome:
    """An outcome that says that ``tool`` failed, in bounded words."""
    if len(words) > FAILURE_CHARS:
        words = f"{words[:FAILURE_CHARS]}… [{len(words):,} characters in all]"
    return ToolOutcome(f"{tool.schema.name} failed: {words}", is_error=True)


def _is_cancelled() -> bool:
    """Are we to stop, or did the exception come from within the tool alone?"""
    if anyio.current_effective_deadline() == -math.inf:
        return True
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _described(error: BaseException) -> str:
    name, message = type(error).__name__, _message(error)
    return f"{name}: {message}" if message else name


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        return ""
