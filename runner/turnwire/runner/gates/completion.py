"""Is it done? The look of the completion gate by a shell command: exit code 0 passes.

Owns what such a look is: one call of the shell tool that no model proposed, with its bounds, its environment
and its end, whose output is the reason. When the gate looks, and what follows, is the core's.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from turnwire.protocol.content import Text
from turnwire.protocol.rows import Port
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import CompletionVerdict, Input, ToolEnded
from turnwire.runner.core.jobs import CheckCompletion, RunTool

__all__ = ["LOOK_SECONDS", "REASON_CHARS", "CommandGate"]

LOOK_SECONDS = 600.0
"""How long a look may take; one that takes longer has failed."""

REASON_CHARS = 4_000
"""How much of a command's output the model is told: beginning and end, where test runners say what failed."""


class CommandGate:
    """Looks by running ``command`` as the shell tool named ``tool`` runs one."""

    def __init__(
        self, command: str, *, tool: str, run: Callable[[RunTool, Desk], Awaitable[Input]]
    ) -> None:
        """``run`` runs a call of that tool to its :class:`ToolEnded`."""
        self._tool = tool
        self._run = run
        arguments = {"command": command, "timeout_seconds": LOOK_SECONDS}
        self._arguments = json.dumps(arguments).encode()

    async def check(self, job: CheckCompletion, desk: Desk) -> Input:
        """Look once, as the worker of its job."""
        call = RunTool(key=job.key, turn=job.turn, name=self._tool, arguments=self._arguments)
        return _verdict(await self._run(call, _GateDesk(desk)))


class _GateDesk:
    """The desk of a look, as the call in it sees it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        self._desk.delta(port, text, call_index)

    def notice(self, code: str, message: str) -> None:
        self._desk.notice(code, message)

    def stopped(self, finding: Input) -> None:
        self._desk.stopped(_verdict(finding))


def _verdict(finding: Input) -> Input:
    if not isinstance(finding, ToolEnded):
        return finding
    return CompletionVerdict(
        row=finding.call,
        passed=not finding.is_error,
        reason="\n".join(block.text for block in finding.content if isinstance(block, Text)),
        end=finding.end,
        chars=finding.chars,
        truncated=finding.truncated,
        preview=finding.preview,
        spill=finding.spill,
    )
