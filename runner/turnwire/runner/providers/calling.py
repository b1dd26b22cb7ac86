"""The worker that makes model requests: one job, one request, one finding."""

from __future__ import annotations

from collections.abc import Sequence

from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Input, ModelEnded
from turnwire.runner.core.jobs import CallModel
from turnwire.runner.core.ports import Model, ModelFault, ModelRequest, ToolSchema

__all__ = ["ModelCaller"]

_STOPPED = ModelFault(
    error=WireError(code=ErrorCode.TIMED_OUT, message="The request was stopped.", fault=Blame.HOST)
)


class ModelCaller:
    """Calls one model for one conversation, always with the same instructions and tools."""

    def __init__(self, model: Model, *, system: str | None, tools: Sequence[ToolSchema]) -> None:
        """``system`` is the system prompt, if any."""
        self._model = model
        self._system = system
        self._tools = tools

    async def call(self, job: CallModel, desk: Desk) -> Input:
        """Make one request; if it is stopped, say so with the text that had arrived."""

        def stopped(fault: ModelFault) -> None:
            desk.stopped(ModelEnded(row=job.key, outcome=fault))

        stopped(_STOPPED)
        request = ModelRequest(messages=job.messages, system=self._system, tools=self._tools)
        return ModelEnded(row=job.key, outcome=await self._model.reply(request, desk, stopped))
