"""A model that reads its replies from a file: the fake that ships beside the real ones.

It drives the demo and the tests, needs no key and no network, and passes the suite that every model
passes: what it says goes through the same assembly. Never imports httpx.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio
import anyio.lowlevel

from turnwire.protocol.content import Text, ToolResult
from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.protocol.messages import Role, TranscriptMessage, text_of
from turnwire.protocol.text import visible
from turnwire.runner.core.ports import (
    Finish,
    LivePort,
    ModelFault,
    ModelOutcome,
    ModelRequest,
)
from turnwire.runner.providers.assemble import Assembly
from turnwire.runner.providers.blocks import CallPiece
from turnwire.runner.providers.errors import STOPPED
from turnwire.runner.providers.script import ScriptedReply, load_script

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """Gives the lines of a script, one a request."""

    def __init__(self, name: str, path: Path) -> None:
        """``name`` is what the person wrote. BadScript: the file at ``path`` is no script."""
        self.name = name
        self._path = visible(str(path), 200)
        self._replies = tuple(load_script(path).items())
        self._given = 0

    async def reply(
        self, request: ModelRequest, port: LivePort, stopped: Callable[[ModelFault], None]
    ) -> ModelOutcome:
        """Give the next line; see :class:`turnwire.runner.core.ports.Model`."""
        numbered = self._next()
        if numbered is None:
            message = f"The script {self._path} has no more lines after {self._given}."
            return _misuse(ErrorCode.MODEL_UNAVAILABLE, message)
        number, line = numbered
        unmet = _unmet(line, request.messages)
        if unmet is not None:
            return _misuse(ErrorCode.BAD_REQUEST, f"{self._path}, line {number}: {unmet}")
        assembly = Assembly(port.delta)
        try:
            await _play(line, assembly)
        except anyio.get_cancelled_exc_class():
            stopped(_broken(STOPPED, line, assembly))
            raise
        if line.fault is None:
            return assembly.outcome(line.tokens())
        fault = line.fault
        error = WireError(
            code=fault.code,
            message=fault.message,
            fault=Blame.PROVIDER,
            retryable=fault.retryable,
        )
        return _broken(error, line, assembly, wait_seconds=fault.wait_seconds)

    async def aclose(self) -> None:
        """Nothing is open."""

    def _next(self) -> tuple[int, ScriptedReply] | None:
        last = self._replies[-1]
        if self._given >= len(self._replies):
            return last if last[1].repeat else None
        self._given += 1
        return self._replies[self._given - 1]


async def _play(line: ScriptedReply, assembly: Assembly) -> None:
    for piece in _cut(line.reasoning, line.delta_chars):
        assembly.reasoning(piece)
        await _breathe(assembly)
    say = assembly.refusal if line.finish is Finish.REFUSAL else assembly.text
    for piece in _cut(line.text, line.delta_chars):
        say(piece)
        await _breathe(assembly)
    for slot, call in enumerate(line.calls):
        assembly.call(CallPiece(slot, id=call.id, name=call.name))
        for piece in _cut(call.text(), line.delta_chars):
            assembly.call(CallPiece(slot, arguments=piece))
            await _breathe(assembly)
    if line.hold:
        await anyio.sleep_forever()
    assembly.finish = line.finish
    assembly.ended = True


async def _breathe(assembly: Assembly) -> None:
    """Let others see each piece before the next one comes, as with a real provider."""
    assembly.flush()
    await anyio.lowlevel.checkpoint()


def _cut(text: str, size: int) -> Iterator[str]:
    size = size or max(1, len(text))
    return (text[at : at + size] for at in range(0, len(text), size))


def _broken(
    error: WireError,
    line: ScriptedReply,
    assembly: Assembly,
    *,
    wait_seconds: float | None = None,
) -> ModelFault:
    return ModelFault(
        error=error,
        wait_seconds=wait_seconds,
        usage=line.tokens(),
        partial=assembly.text_so_far(),
    )


def _misuse(code: ErrorCode, message: str) -> ModelFault:
    return ModelFault(error=WireError(code=code, message=message, fault=Blame.HOST))


# --- what a line expects of its request -----------------------------------------------------------


def _unmet(line: ScriptedReply, messages: Sequence[TranscriptMessage]) -> str | None:
    expectations = (
        (line.expect.last_user_contains, Role.USER, text_of, "message of the user"),
        (line.expect.last_result_contains, Role.TOOL, _text_of_results, "tool result"),
    )
    for wanted, role, text, name in expectations:
        if wanted is None:
            continue
        newest = next((each for each in reversed(messages) if each.role is role), None)
        said = None if newest is None else text(newest)
        if said is None or wanted not in said:
            found = "there is none" if said is None else f"it is {visible(said, 200)!r}"
            return f"the newest {name} should hold {visible(wanted, 200)!r}, but {found}."
    return None


def _text_of_results(message: TranscriptMessage) -> str:
    results = (block for block in message.content if isinstance(block, ToolResult))
    parts = (part for result in results for part in result.content)
    return "\n".join(part.text for part in parts if isinstance(part, Text))
