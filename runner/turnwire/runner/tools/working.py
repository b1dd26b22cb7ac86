"""The worker that runs approved calls: one job, one call, one bounded result."""

from __future__ import annotations

from turnwire.protocol.rows import Port
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Input, ToolEnded
from turnwire.runner.core.jobs import RunTool
from turnwire.runner.core.ports import ToolContext, ToolEnd, ToolOutcome
from turnwire.runner.tools.arguments import parse_arguments
from turnwire.runner.tools.results import bound_result
from turnwire.runner.tools.running import run_call
from turnwire.runner.tools.toolbox import Toolbox

__all__ = ["ToolRunner"]

_STOPPED = ToolOutcome(
    "The call was stopped before it began.", is_error=True, end=ToolEnd.CANCELLED
)


class ToolRunner:
    """Runs the calls of one run."""

    def __init__(
        self, toolbox: Toolbox, *, cwd: str, result_chars: int, spill_folder: str | None
    ) -> None:
        """Results are cut at ``result_chars`` characters; the whole goes to ``spill_folder``, if given."""
        self._toolbox = toolbox
        self._cwd = cwd
        self._result_chars = result_chars
        self._spill_folder = spill_folder

    async def run(self, job: RunTool, desk: Desk) -> Input:
        """Run one call to its end; if it is stopped, say how that went."""

        def stopped(outcome: ToolOutcome) -> None:
            desk.stopped(self._ended(job.key, outcome))

        stopped(_STOPPED)
        tool = self._toolbox.get(job.name)
        if tool is None:
            raise LookupError(f"a reviewed call names no tool: {job.name}")
        context = ToolContext(
            call=job.key,
            turn=job.turn,
            cwd=self._cwd,
            output=lambda text: desk.delta(Port.OUTPUT, text),
            progress=lambda text: desk.delta(Port.PROGRESS, text),
            stopped=stopped,
        )
        outcome = await run_call(tool, parse_arguments(job.arguments), context)
        return self._ended(job.key, outcome)

    def _ended(self, call: str, outcome: ToolOutcome) -> ToolEnded:
        result = bound_result(
            outcome, call=call, limit=self._result_chars, spill_folder=self._spill_folder
        )
        return ToolEnded(
            call=call,
            content=result.content,
            is_error=outcome.is_error,
            end=outcome.end,
            chars=result.chars,
            truncated=result.truncated,
            preview=result.preview,
            spill=result.spill,
        )
