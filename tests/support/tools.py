"""A tool that is only looked at: what it says of itself, and a call of it that is to be reviewed."""

from __future__ import annotations

from typing import Any

import msgspec

from turnwire.runner.core.evolve import digest_of
from turnwire.runner.core.jobs import Review, review_key
from turnwire.runner.core.ports import Entitlement, ToolContext, ToolOutcome, ToolSchema


class SeenTool(msgspec.Struct, frozen=True):
    """A tool by its face; running it is a mistake of the test."""

    schema: ToolSchema = ToolSchema("write", "Write a file.", {"type": "object"})
    source: str = "builtin"
    reach: tuple[Entitlement, ...] = ()
    requires_approval: bool | None = None

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        raise AssertionError("a tool ran that is only looked at")


def review_of(
    name: str = "write", arguments: str = "{}", invalid: str | None = None, call: str = "t1.c1"
) -> Review:
    """The job of reviewing a call."""
    data = arguments.encode()
    return Review(
        key=review_key(call),
        call=call,
        turn="t1",
        name=name,
        arguments=data,
        digest=digest_of(data),
        invalid=invalid,
    )
