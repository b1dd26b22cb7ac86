"""The look by a command: one call of the shell tool, and its end as a verdict."""

from __future__ import annotations

import json

import pytest
from support.play import looked, tool_ended

from turnwire.protocol.rows import Port
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Input, Remarked
from turnwire.runner.core.jobs import CheckCompletion, RunTool
from turnwire.runner.core.ports import ToolEnd
from turnwire.runner.gates.completion import LOOK_SECONDS, CommandGate

JOB = CheckCompletion(key="t1.k1", turn="t1", attempt=1)


class Told:
    """A desk that keeps what it is told."""

    def __init__(self) -> None:
        self.words: list[object] = []

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        self.words.append((port, text))

    def notice(self, code: str, message: str) -> None:
        self.words.append((code, message))

    def stopped(self, finding: Input) -> None:
        self.words.append(finding)


@pytest.mark.parametrize("end", [ToolEnd.DONE, ToolEnd.CANCELLED])
async def test_K9_a_look_is_a_call_of_the_shell(end: ToolEnd) -> None:
    seen: list[RunTool] = []

    async def run(call: RunTool, desk: Desk) -> Input:
        seen.append(call)
        desk.delta(Port.OUTPUT, "live")
        desk.notice("odd", "An odd thing.")
        desk.stopped(tool_ended(call.key, "stopped", ToolEnd.CANCELLED))
        desk.stopped(Remarked("odd", "no verdict"))
        return tool_ended(call.key, "out", end)

    desk = Told()
    verdict = await CommandGate("make test", tool="bash", run=run).check(JOB, desk)
    [call] = seen
    arguments = {"command": "make test", "timeout_seconds": LOOK_SECONDS}
    assert (call.key, call.name, json.loads(call.arguments)) == ("t1.k1", "bash", arguments)
    assert verdict == looked("t1.k1", "out", passed=True, end=end)
    assert desk.words == [
        (Port.OUTPUT, "live"),
        ("odd", "An odd thing."),
        looked("t1.k1", "stopped", end=ToolEnd.CANCELLED),
        Remarked("odd", "no verdict"),
    ]
