"""What a surface shows of a log, as the JSON that stands beside it in the spec."""

from __future__ import annotations

from typing import Any

from turnwire.protocol.content import ToolResult, ToolUse
from turnwire.protocol.events import Message
from turnwire.protocol.messages import text_of
from turnwire.protocol.view import View

__all__ = ["shown"]


def shown(view: View) -> dict[str, Any]:
    """Give a view in the fields of spec/vectors/README.md."""
    end = view.end
    return {
        "rows": [[depth, r.id, r.kind, r.status, r.title] for depth, r in view.walk()],
        "messages": [[m.index, m.message.role, _said(m)] for m in view.messages],
        "transcript": [
            [exchange.turn, [m.index for m in exchange.messages], _status(exchange.end)]
            for exchange in view.transcript()
        ],
        "open_requests": list(view.open_requests),
        "closed_requests": {id_: c.closed.by for id_, c in view.closed_requests.items()},
        "notices": [notice.code for notice in view.notices],
        "refusals": [refused.code for refused in view.refusals],
        "usage": {"input": view.usage.input, "output": view.usage.output},
        "end": _status(end),
    }


def _status(ended: Any) -> str | None:
    return None if ended is None else str(ended.status)


def _said(said: Message) -> str | list[str]:
    uses = [block.id for block in said.message.content if isinstance(block, ToolUse)]
    results = [b.tool_use_id for b in said.message.content if isinstance(b, ToolResult)]
    return uses or results or text_of(said.message)
