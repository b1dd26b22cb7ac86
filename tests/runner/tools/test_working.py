"""One job, one call, one bounded result, and last words if it is stopped."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from support.ground import Ground

from turnwire.protocol.content import Text
from turnwire.protocol.rows import Port
from turnwire.runner.core.inputs import Input, ToolEnded
from turnwire.runner.core.jobs import RunTool
from turnwire.runner.core.ports import ToolContext, ToolEnd
from turnwire.runner.tools.executors.function import function_tool
from turnwire.runner.tools.toolbox import Toolbox
from turnwire.runner.tools.working import ToolRunner


class Table:
    """A desk whose words stay where they were said."""

    def __init__(self) -> None:
        self.deltas: list[tuple[Port, str]] = []
        self.last: list[Input] = []

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        self.deltas.append((port, text))

    def notice(self, code: str, message: str) -> None:
        raise AssertionError(message)

    def stopped(self, finding: Input) -> None:
        self.last.append(finding)


def job(name: str, arguments: bytes = b"{}") -> RunTool:
    return RunTool(key="call-7", turn="turn-1", name=name, arguments=arguments)


def runner(ground: Ground, *functions: Any, limit: int = 1_000) -> ToolRunner:
    toolbox = Toolbox([function_tool(function) for function in functions])
    return ToolRunner(
        toolbox, cwd=str(ground.cwd), result_chars=limit, spill_folder=str(ground.spills)
    )


async def test_T9_the_call_has_one_id_everywhere(ground: Ground) -> None:
    def who(context: ToolContext) -> list[str]:
        context.progress("asked")
        return [context.call, context.turn, context.cwd]

    table = Table()
    ended = await runner(ground, who).run(job("who"), table)
    assert isinstance(ended, ToolEnded)
    expected = f'["call-7", "turn-1", "{ground.cwd}"]'
    assert (ended.call, ended.content, ended.end) == (
        "call-7",
        (Text(text=expected),),
        ToolEnd.DONE,
    )
    assert table.deltas == [(Port.PROGRESS, "asked")]


async def test_B2_a_raised_error_is_bounded_like_any_result(ground: Ground) -> None:
    def fail(size: int) -> None:
        raise ValueError("x" * size)

    ended = await runner(ground, fail, limit=500).run(job("fail", b'{"size":5000}'), Table())
    assert isinstance(ended, ToolEnded)
    (block,) = ended.content
    assert isinstance(block, Text)
    assert len(block.text) <= 500
    assert (ended.is_error, ended.truncated) == (True, True)


async def test_T19_a_stopped_call_leaves_its_last_words(ground: Ground) -> None:
    started = anyio.Event()

    async def wait() -> None:
        started.set()
        await anyio.sleep_forever()

    table = Table()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runner(ground, wait).run, job("wait"), table)
            await started.wait()
            tasks.cancel_scope.cancel()
    before, after = table.last
    assert isinstance(before, ToolEnded)
    assert isinstance(after, ToolEnded)
    assert before.content == (Text(text="The call was stopped before it began."),)
    assert (after.call, after.is_error, after.end) == ("call-7", True, ToolEnd.CANCELLED)


async def test_T4_a_call_that_review_let_through_must_exist(ground: Ground) -> None:
    with pytest.raises(LookupError):
        await runner(ground).run(job("nothing"), Table())
