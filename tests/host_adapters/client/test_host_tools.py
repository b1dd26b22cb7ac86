"""Tools that live in the host are called for the child and always answered."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from turnwire.hosts.client import HostCall, Options, connect, host_tool
from turnwire.protocol.content import Text
from turnwire.protocol.events import Notice

Fake = Callable[..., Options]

CALLS = """
call("c1", "look", {"path": "a\\u2028"})
for line in lines():
    notice(line.decode())
    if json.loads(line)["type"] == "tool_result":
        break
end()
"""


async def results(options: Options, *tools: Any) -> list[dict[str, Any]]:
    with anyio.fail_after(20):
        async with connect(
            options, tools=[host_tool(tool, name="look") for tool in tools]
        ) as child:
            events = [event async for event in child.events()]
    return [json.loads(event.message) for event in events if isinstance(event, Notice)]


async def text(arguments: dict[str, Any], call: HostCall) -> str:
    return f"{call.id} {arguments['path']}\ud83d"


def plain(arguments: dict[str, Any], call: HostCall) -> Any:
    return {"thread": threading.current_thread() is threading.main_thread()}


async def blocks(arguments: dict[str, Any], call: HostCall) -> Any:
    return (Text(text="one"),)


async def raising(arguments: dict[str, Any], call: HostCall) -> str:
    raise LookupError("not here")


async def infinite(arguments: dict[str, Any], call: HostCall) -> float:
    return float("inf")


@pytest.mark.parametrize(
    ("tool", "content", "is_error"),
    [
        (text, "c1 a\u2028\ufffd", False),
        (plain, '{"thread":false}', False),
        (blocks, [{"type": "text", "text": "one"}], False),
        (raising, "look failed: not here", True),
        (infinite, "look failed: ", True),
    ],
)
async def test_R10_a_host_tool_gives_its_result(
    fake: Fake, tool: Any, content: object, is_error: bool
) -> None:
    [result] = await results(fake(CALLS), tool)
    assert (result["type"], result["id"], result["is_error"]) == ("tool_result", "c1", is_error)
    if isinstance(content, str):
        assert result["content"].startswith(content)
    else:
        assert result["content"] == content


async def test_R10_a_result_that_no_line_holds_is_an_error(fake: Fake) -> None:
    async def long(arguments: dict[str, Any], call: HostCall) -> str:
        return "x" * 4_194_304

    [result] = await results(fake(CALLS), long)
    assert result["is_error"]
    assert "too many" in result["content"]


async def test_R10_an_unknown_host_tool_is_an_error_result(fake: Fake) -> None:
    [result] = await results(fake(CALLS.replace("look", "lick")), text)
    assert result["is_error"]
    assert "lick" in result["content"]
    assert "look" in result["content"]


async def test_a_host_tool_says_how_far_it_is(fake: Fake) -> None:
    async def slow(arguments: dict[str, Any], call: HostCall) -> str:
        await call.progress("half")
        return "done"

    progress, result = await results(fake(CALLS), slow)
    assert progress == {"type": "tool_progress", "id": "c1", "text": "half"}
    assert result["content"] == "done"


async def test_a_host_tool_is_cancelled_when_nobody_waits(fake: Fake) -> None:
    async def endless(arguments: dict[str, Any], call: HostCall) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(call.id)
        raise AssertionError

    stopped: list[str] = []
    script = """
    call("c1", "look", {})
    write('{"type":"tool_closed","seq":2,"at":0,"id":"c1","by":"deadline"}\\n')
    lines().readline(); end()
    """
    with anyio.fail_after(20):
        async with connect(fake(script), tools=[host_tool(endless, name="look")]) as child:
            await child.next_event()
            await anyio.wait_all_tasks_blocked()
            await child.next_event()
            await anyio.wait_all_tasks_blocked()
            assert stopped == ["c1"]


def test_a_host_tool_is_described_by_its_function() -> None:
    def look(arguments: dict[str, Any], call: HostCall) -> str:
        """Look somewhere."""
        return ""

    tool = host_tool(look, input_schema={"type": "object", "required": ["path"]})
    assert (tool.name, tool.description) == ("look", "Look somewhere.")
    assert tool.input_schema["required"] == ["path"]
