"""A Python function as a tool: how it is called, and how it is stopped (R6, R7, T19)."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import functools
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import anyio
import pytest
from support.ground import Ground

from turnwire.protocol.content import Image, Text
from turnwire.runner.core.ports import ToolCallError, ToolContext, ToolEnd, ToolOutcome
from turnwire.runner.tools.executors.function import function_tool
from turnwire.runner.tools.running import run_call


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Lets functions that were left behind come to their end after the test."""
    event = threading.Event()
    yield event
    event.set()


async def test_R6_a_function_runs_in_another_thread(ground: Ground) -> None:
    def where() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert await ground.text(function_tool(where)) == "false"


async def test_R6_an_async_function_runs_in_place(ground: Ground) -> None:
    async def where() -> bool:
        await asyncio.sleep(0)
        return threading.current_thread() is threading.main_thread()

    assert await ground.text(function_tool(where)) == "true"


async def test_R6_the_context_is_not_an_argument(ground: Ground) -> None:
    def which(text: str, ctx: ToolContext) -> list[str]:
        return [text, ctx.call, ctx.turn, ctx.cwd]

    tool = function_tool(which)
    assert list(tool.schema.input_schema["properties"]) == ["text"]
    expected = f'["a", "call-1", "turn-1", "{ground.cwd}"]'
    assert await ground.text(tool, text="a") == expected


async def test_R6_sync_functions_have_no_ceiling(ground: Ground, gate: threading.Event) -> None:
    barrier = threading.Barrier(51, timeout=10)

    def meet() -> None:
        barrier.wait()

    tool = function_tool(meet)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for _ in range(50):
                tasks.start_soon(run_call, tool, {}, ground.context())
            await anyio.to_thread.run_sync(barrier.wait)


async def test_R6_progress_is_told_in_the_thread_of_the_loop(ground: Ground) -> None:
    told: list[bool] = []

    def output(text: str) -> None:
        ground.live.append(text)
        told.append(threading.current_thread() is threading.main_thread())

    def say(context: ToolContext) -> None:
        context.progress("half")
        context.output("caf\udce9")
        for number in range(5_000):
            context.output(f"{number} ")

    await run_call(function_tool(say), {}, ground.context(output=output))
    assert ground.progress == ["half"]
    assert all(told)
    assert "".join(ground.live).endswith(" 4998 4999 ")
    assert "\udce9" not in "".join(ground.live)


async def test_R6_arguments_have_the_annotated_types(ground: Ground) -> None:
    def kinds(point: Point, colour: Colour, count: int, names: set[str]) -> str:
        return f"{point} {colour} {count!r} {names}"

    arguments = {"point": {"x": 1.0}, "colour": "red", "count": 2.0, "names": ["a"]}
    text = await ground.text(function_tool(kinds), **arguments)
    assert text == "Point(x=1, y=0) Colour.RED 2 {'a'}"


async def test_T5_arguments_that_do_not_convert_are_named(ground: Ground) -> None:
    def kinds(point: Point, count: int) -> NoReturn:
        raise AssertionError("must not run")

    text = await ground.error(function_tool(kinds), point={"x": "one"}, count="many")
    assert "$.point.x: Expected `int`, got `str`" in text
    assert "$.count: Expected `int`, got `str`" in text


async def test_R6_defaults_are_the_function_s_own(ground: Ground) -> None:
    marker = object()

    def default(first: int, /, second: object = marker, *, third: int = 3) -> list[Any]:
        return [first, second is marker, third]

    assert await ground.text(function_tool(default), first=1) == "[1, true, 3]"


@pytest.mark.parametrize(
    ("returned", "content"),
    [
        ("verbatim\n", "verbatim\n"),
        ({"a": 1}, '{"a": 1}'),
        (math.nan, '"NaN"'),
        (Text(text="a"), (Text(text="a"),)),
        ([Text(text="a"), Image(media_type="image/png", data="")], None),
        (["a", Text(text="b")], '["a", {"text": "b"}]'),
    ],
)
async def test_R7_what_a_function_returns(
    ground: Ground, returned: object, content: object
) -> None:
    """A16: NaN is said in words."""
    outcome = await ground.run(function_tool(lambda: returned, name="f"))
    assert outcome == ToolOutcome(tuple(returned) if content is None else content)  # type: ignore[arg-type]


async def test_A56_a_function_without_a_result_says_so(ground: Ground) -> None:
    assert await ground.text(function_tool(lambda: None, name="f")) == "(no output)"


async def test_R8_a_function_may_choose_its_words(ground: Ground) -> None:
    def refuse() -> NoReturn:
        raise ToolCallError("Not today.")

    async def refuse_later() -> NoReturn:
        raise ToolCallError("Not today.")

    assert await ground.error(function_tool(refuse)) == "Not today."
    assert await ground.error(function_tool(refuse_later)) == "Not today."


@pytest.mark.parametrize(
    "error", [SystemExit(1), StopIteration(2), KeyboardInterrupt(), ValueError()]
)
async def test_T6_no_exception_leaves_a_function(ground: Ground, error: BaseException) -> None:
    def fail() -> NoReturn:
        raise error

    async def fail_later() -> NoReturn:
        await asyncio.sleep(0)
        raise error

    assert (await ground.error(function_tool(fail))).startswith("fail failed: ")
    assert (await ground.error(function_tool(fail_later))).startswith("fail_later failed: ")


async def test_R6_a_decorated_async_function_is_awaited(ground: Ground) -> None:
    async def real(text: str) -> str:
        return text

    decorated = functools.wraps(real)(lambda text: real(text * 2))
    assert await ground.text(function_tool(decorated), text="a") == "aa"


class Adder:
    def __call__(self, x: int) -> int:
        return x + 1

    async def method(self, x: int) -> int:
        return x + 2


@pytest.mark.parametrize(("function", "text"), [(Adder(), "2"), (Adder().method, "3")])
async def test_R6_any_callable_will_do(
    ground: Ground, function: Callable[..., Any], text: str
) -> None:
    tool = function_tool(function)
    assert tool.schema.input_schema["required"] == ["x"]
    assert await ground.text(tool, x=1) == text


def test_R6_a_name_that_no_provider_takes_is_refused() -> None:
    with pytest.raises(ValueError, match="no name for a tool"):
        function_tool(lambda: None)


# --- stopping -------------------------------------------------------------------------------------


async def test_T19_a_sync_function_is_left_behind(ground: Ground, gate: threading.Event) -> None:
    started = threading.Event()

    def stubborn() -> None:
        started.set()
        gate.wait()

    began = time.monotonic()
    last = await ground.cancelled(function_tool(stubborn), once=started.is_set)
    assert last.end is ToolEnd.LEFT_BEHIND
    assert last.is_error
    assert time.monotonic() - began < 5


LEAVING = """
import threading, anyio
from turnwire.runner.tools.executors.threads import start_in_thread

async def leave():
    start_in_thread(threading.Event().wait)

anyio.run(leave)
"""


def test_B11_a_function_left_behind_does_not_hold_the_exit() -> None:
    subprocess.run([sys.executable, "-c", LEAVING], check=True, timeout=20)


async def test_T19_a_function_can_ask_whether_it_was_cancelled(ground: Ground) -> None:
    started = threading.Event()

    def polite(context: ToolContext) -> str:
        started.set()
        while not context.cancelled():
            started.wait()
        return "stopped at 3 of 9"

    last = await ground.cancelled(function_tool(polite), once=started.is_set)
    assert last == ToolOutcome("stopped at 3 of 9", end=ToolEnd.CANCELLED)


async def test_T19_an_async_function_tidies_up(ground: Ground) -> None:
    steps: list[str] = []

    async def tidy() -> None:
        steps.append("started")
        try:
            await anyio.sleep_forever()
        finally:
            await asyncio.sleep(0)
            steps.append("tidied")

    last = await ground.cancelled(function_tool(tidy), once=lambda: bool(steps))
    assert (last.end, steps) == (ToolEnd.CANCELLED, ["started", "tidied"])


async def test_T19_an_async_function_that_clings_is_left_behind(ground: Ground) -> None:
    tasks: list[asyncio.Task[Any] | None] = []
    release = asyncio.Event()

    async def clinging() -> None:
        tasks.append(asyncio.current_task())
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    last = await ground.cancelled(function_tool(clinging), once=lambda: bool(tasks))
    release.set()
    assert last.end is ToolEnd.LEFT_BEHIND
    assert tasks[0] is not None
    await asyncio.wait([tasks[0]], timeout=5)


async def test_T19_words_of_a_function_left_behind_are_dropped(
    ground: Ground, gate: threading.Event
) -> None:
    contexts: list[ToolContext] = []
    spoken = threading.Event()

    def late(context: ToolContext) -> None:
        contexts.append(context)
        gate.wait()
        context.output("too late")
        spoken.set()

    await ground.cancelled(function_tool(late), once=lambda: bool(contexts))
    gate.set()
    with anyio.fail_after(5):
        await anyio.to_thread.run_sync(spoken.wait)
        await anyio.wait_all_tasks_blocked()
    assert ground.live == []


async def test_B10_prints_of_a_function_are_no_result(
    ground: Ground, capfd: pytest.CaptureFixture[str]
) -> None:
    def loud() -> str:
        print("x")
        os.write(1, b"y\n")
        os.system("echo z")  # pyright: ignore[reportDeprecated] - the old way is what is tried
        subprocess.run(["echo", "w"], check=True)
        return "said"

    assert await ground.text(function_tool(loud)) == "said"
    assert sorted(capfd.readouterr().out.split()) == ["w", "x", "y", "z"]
