"""Whether a call is put to a person, and the card that the person sees.

Owns the precedence of wishes (spec/approval.md): ``--approval never`` silences everything below it; then
``--ask`` and ``--no-ask``; then the tool's own wish; then its reach. What widens comes from the command line
alone: the policy is built from flags, never from a document.
"""

from __future__ import annotations

from itertools import islice

import msgspec

from turnwire.protocol.events import Approval
from turnwire.protocol.text import visible
from turnwire.runner.core.inputs import PutToPerson
from turnwire.runner.core.jobs import Review
from turnwire.runner.core.ports import Tool
from turnwire.runner.gates.reach import beyond_inference, spelt

__all__ = ["ARGUMENT_LINES", "LINE_CHARACTERS", "ApprovalPolicy", "asks", "card"]

ARGUMENT_LINES = 50
"""The most arguments that a card shows; a tool that a person can judge has fewer."""

LINE_CHARACTERS = 2_000
"""The longest line of a card; the digest binds the whole."""


class ApprovalPolicy(msgspec.Struct, frozen=True):
    """Who is asked: the mode, and the tools named by ``--ask`` and ``--no-ask``."""

    approval: Approval = Approval.ASK
    ask: frozenset[str] = frozenset()
    no_ask: frozenset[str] = frozenset()


def asks(tool: Tool, policy: ApprovalPolicy) -> bool:
    """Say whether the calls of ``tool`` are put to a person."""
    name = tool.schema.name
    if policy.approval is Approval.NEVER:
        return False
    if name in policy.ask:
        return True
    if name in policy.no_ask:
        return False
    if tool.requires_approval is not None:
        return tool.requires_approval
    return bool(beyond_inference(tool.reach))


def card(review: Review, tool: Tool) -> PutToPerson:
    """Draw up the question: what it is, what it reaches, with which arguments, one safe line each."""
    reach = beyond_inference(tool.reach)
    reaches = (
        "; ".join(spelt(entitlement) for entitlement in reach) or "undeclared (a host function)"
    )
    lines = (
        f"Tool: {tool.schema.name} ({tool.source})",
        f"Reaches: {reaches}",
        *_argument_lines(review.arguments),
    )
    return PutToPerson(
        call=review.call,
        message=visible(f"Allow {tool.schema.name} to run?", LINE_CHARACTERS),
        lines=tuple(visible(line, LINE_CHARACTERS) for line in lines),
        reach=tuple(visible(entitlement.id, LINE_CHARACTERS) for entitlement in reach),
    )


def _argument_lines(arguments: bytes) -> list[str]:
    fields = msgspec.json.decode(arguments, type=dict[str, msgspec.Raw])
    shown = islice(fields.items(), ARGUMENT_LINES)
    lines = [f"{name}: {_shown(bytes(raw))}" for name, raw in shown]
    if len(fields) > ARGUMENT_LINES:
        lines.append(f"… [cut: {len(fields):,} arguments in all]")
    return lines


def _shown(raw: bytes) -> str:
    """Show a string as its characters and anything else as JSON."""
    return str(msgspec.json.decode(raw)) if raw.startswith(b'"') else raw.decode()
