"""Whatever a tool raises is the tool's failure, told in bounded words (T6, R8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import anyio
import pytest
from support.ground import Ground

from turnwire.runner.core.ports import (
    Entitlement,
    ToolCallError,
    ToolContext,
    ToolOutcome,
    ToolSchema,
)
from turnwire.runner.tools.running import run_call


class Acting:
    """A tool that does what it is given."""

    schema = ToolSchema("acting", "", {})
    source = "test"
    reach: tuple[Entitlement, ...] = ()
    requires_approval: bool | None = None

    def __init__(self, action: Callable[[], Awaitable[Any]]) -> None:
        self._action = action

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        outcome: ToolOutcome = await self._action()
        return outcome


def raising(error: BaseException) -> Acting:
    async def action() -> NoReturn:
        raise error

    return Acting(action)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("words", ["No such thing.", "  two\nlines ", ""])
async def test_R8_words_of_a_call_error_are_exact(ground: Ground, words: str) -> None:
    assert await ground.run(raising(ToolCallError(words))) == ToolOutcome(words, is_error=True)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            ZeroDivisionError("division by zero"),
            "acting failed: ZeroDivisionError: division by zero",
        ),
        (KeyError("x"), "acting failed: KeyError: 'x'"),
        (RuntimeError(), "acting failed: RuntimeError"),
        (Unspeakable(), "acting failed: Unspeakable"),
        (SystemExit(3), "acting failed: SystemExit: 3"),
        (KeyboardInterrupt(), "acting failed: KeyboardInterrupt"),
        (asyncio.CancelledError(), "acting failed: it cancelled itself"),
        (BaseExceptionGroup("both", [ValueError("a"), SystemExit(1)]), "acting failed: "),
    ],
)
async def test_T6_a_raising_tool_fails_in_words(
    ground: Ground, error: BaseException, text: str
) -> None:
    outcome = await ground.run(raising(error))
    assert outcome.is_error
    assert str(outcome.content).startswith(text)
    assert "Traceback" not in str(outcome.content)


async def test_T6_a_long_message_is_bounded(ground: Ground) -> None:
    text = await ground.error(raising(ValueError("x" * 1_000_000)))
    assert len(text) < 2_200
    assert text.endswith("[1,000,012 characters in all]")


async def test_T6_a_wrong_return_value_is_a_failure(ground: Ground) -> None:
    async def action() -> str:
        return "text"

    expected = "acting failed: it returned str, not a ToolOutcome"
    assert await ground.error(Acting(action)) == expected


async def test_T19_cancellation_passes_through(ground: Ground) -> None:
    reached = anyio.Event()

    async def action() -> None:
        reached.set()
        await anyio.sleep_forever()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_call, Acting(action), {}, ground.context())
            await reached.wait()
            tasks.cancel_scope.cancel()


async def test_T19_an_error_while_being_cancelled_is_no_bug_of_ours(ground: Ground) -> None:
    async def action() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("while tidying up")

    outcome: ToolOutcome | None = None
    with anyio.move_on_after(0.01):
        outcome = await run_call(Acting(action), {}, ground.context())
    assert outcome is not None
    assert "while tidying up" in str(outcome.content)
