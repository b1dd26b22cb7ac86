"""The form of the tools that turnwire brings along.

Owns how a blocking function becomes one, and in which words a path is refused. Knows no tool.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from turnwire.runner.core.ports import (
    Entitlement,
    ToolCallError,
    ToolContext,
    ToolOutcome,
    ToolSchema,
)
from turnwire.runner.tools.builtin.paths import PathRefused
from turnwire.runner.tools.executors.stopping import wait_or_leave
from turnwire.runner.tools.executors.threads import Ended, start_in_thread

__all__ = ["READS", "WRITES", "BuiltinTool", "Cancelled", "in_thread", "object_schema"]

READS = Entitlement("filesystem:read", reason="reads files in the allowed folders")
WRITES = Entitlement("filesystem:write", reason="writes files in the allowed folders")

_GRACE_SECONDS = 1.0
"""How long a stopped file operation may take to notice, or to finish the one write that it is at.
"""

Cancelled = Callable[[], bool]
"""Asked between two steps of long work: is the result still wanted?"""


class BuiltinTool(msgspec.Struct, frozen=True):
    """A tool of turnwire's own. ``action`` runs one call, as :meth:`run` does."""

    schema: ToolSchema
    reach: tuple[Entitlement, ...]
    action: Callable[[dict[str, Any], ToolContext], Awaitable[ToolOutcome]]
    source: str = "builtin"
    requires_approval: bool | None = None

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        """Run one call. ToolCallError: words for the model."""
        return await self.action(arguments, context)


async def in_thread(work: Callable[[Cancelled], str], context: ToolContext) -> ToolOutcome:
    """Run ``work``, which blocks, in a worker thread; what it returns is the result.

    ToolCallError: a path was refused.
    """
    cancelled = threading.Event()
    return await wait_or_leave(
        start_in_thread(lambda: work(cancelled.is_set)),
        context,
        stop=cancelled.set,
        grace_seconds=_GRACE_SECONDS,
        outcome=_outcome,
    )


def object_schema(required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """The schema of a call with these properties and no others."""
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def _outcome(ended: Ended) -> ToolOutcome:
    try:
        return ToolOutcome(str(ended.unpack()))
    except PathRefused as refused:
        raise ToolCallError(str(refused)) from refused
