"""A run's folder with something beside it, and calls of tools as the runner makes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import msgspec

from turnwire.protocol.content import Text
from turnwire.runner.core.ports import Tool, ToolContext, ToolOutcome
from turnwire.runner.tools.results import BoundedResult, bound_result
from turnwire.runner.tools.running import run_call
from turnwire.runner.tools.toolbox import BUILTIN, Toolbox, ToolSettings, build_toolbox


class Ground:
    """The folder of a run (``cwd``), a folder outside of it, and what calls said while they ran."""

    def __init__(self, root: Path) -> None:
        self.cwd = root / "ws"
        self.outside = root / "outside"
        self.spills = root / "spills"
        self.cwd.mkdir()
        self.outside.mkdir()
        self.path = os.environ["PATH"]
        self.max_result_chars = 20_000
        self.allowed: tuple[str, ...] = ()
        self.live: list[str] = []
        self.progress: list[str] = []
        self.stopped: list[ToolOutcome] = []

    def toolbox(self, *specs: str) -> Toolbox:
        """The builtin tools, or those that are named."""
        settings = ToolSettings(
            cwd=str(self.cwd),
            allow_paths=self.allowed,
            environment={"PATH": self.path, "HOME": str(self.cwd)},
            spill_folder=str(self.spills),
            max_result_chars=self.max_result_chars,
        )
        return build_toolbox(specs or BUILTIN, settings)

    def context(self, **changed: Any) -> ToolContext:
        context = ToolContext(
            call="call-1",
            turn="turn-1",
            cwd=str(self.cwd),
            output=self.live.append,
            progress=self.progress.append,
            stopped=self.stopped.append,
        )
        return msgspec.structs.replace(context, **changed)

    async def run(self, tool: str | Tool, **arguments: Any) -> ToolOutcome:
        """One call, which must come to its end within the time of a test."""
        found = self.toolbox().get(tool) if isinstance(tool, str) else tool
        assert found is not None
        with anyio.fail_after(20):
            return await run_call(found, arguments, self.context())

    async def text(self, tool: str | Tool, **arguments: Any) -> str:
        """What the model is given of a call that went well."""
        outcome = await self.run(tool, **arguments)
        text = _text(self.bounded(outcome))
        assert not outcome.is_error, text
        return text

    async def error(self, tool: str | Tool, **arguments: Any) -> str:
        """What the model is given of a call that failed."""
        outcome = await self.run(tool, **arguments)
        text = _text(self.bounded(outcome))
        assert outcome.is_error, text
        return text

    async def cancelled(
        self, tool: str | Tool, *, once: Callable[[], bool], **arguments: Any
    ) -> ToolOutcome:
        """The last words of a call that is cancelled as soon as ``once`` is true."""
        found = self.toolbox().get(tool) if isinstance(tool, str) else tool
        assert found is not None
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run_call, found, arguments, self.context())
                while not once():
                    await anyio.sleep(0.005)  # what a call says is told to plain lists
                tasks.cancel_scope.cancel()
        return self.stopped[-1]

    def bounded(self, outcome: ToolOutcome) -> BoundedResult:
        return bound_result(
            outcome, call="call-1", limit=self.max_result_chars, spill_folder=str(self.spills)
        )


def _text(result: BoundedResult) -> str:
    (block,) = result.content
    assert isinstance(block, Text)
    return block.text


class Lifeline:
    """A named pipe that processes hold open: its end says that all of them are gone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    @property
    def is_held(self) -> bool:
        """Did somebody take hold, and is not gone?"""
        try:
            return os.read(self.descriptor, 1) != b""
        except BlockingIOError:
            return True

    def close(self) -> None:
        os.close(self.descriptor)

    async def cut(self) -> None:
        """Wait until nobody holds it any more."""
        with anyio.fail_after(10):
            await anyio.wait_readable(self.descriptor)
        assert os.read(self.descriptor, 1) == b""
