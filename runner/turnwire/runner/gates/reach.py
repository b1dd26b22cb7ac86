"""What tools reach beyond inference, and which reach is put to a person (spec/approval.md).

Owns the vocabulary and the one question about it. Ids are compared as a whole, never by prefix: an unknown
``ai:x`` is not inference.
"""

from __future__ import annotations

from turnwire.runner.core.ports import Entitlement

__all__ = ["INFERENCE", "VOCABULARY", "beyond_inference", "spelt"]

INFERENCE = frozenset({"ai", "ai:model", "ai:inference"})
"""Reach that is only thinking: nobody is asked about it."""

VOCABULARY = INFERENCE | frozenset(
    {
        "network",
        "network:http",
        "network:websocket",
        "network:private",
        "filesystem",
        "filesystem:read",
        "filesystem:write",
        "code-execution",
        "code-execution:python",
        "code-execution:shell",
        "credential",
        "mcp",
        "mcp:tool-call",
        "mcp:resource-read",
        "mcp:prompt-get",
        "mcp:stdio",
        "storage",
        "storage:read",
        "storage:write",
        "browser",
        "browser:local",
        "browser:cloud",
        "browser:navigate",
        "browser:evaluate",
        "browser:credential",
    }
)
"""The ids that have an agreed meaning; a tool may have ids of its own."""


def beyond_inference(reach: tuple[Entitlement, ...]) -> tuple[Entitlement, ...]:
    """Give the entitlements that go beyond inference; optional ones count."""
    return tuple(entitlement for entitlement in reach if entitlement.id not in INFERENCE)


def spelt(entitlement: Entitlement) -> str:
    """Spell an entitlement for a card: its id, whether only sometimes, its resources and its reason."""
    words = [f"may use {entitlement.id}" if entitlement.optional else entitlement.id]
    if entitlement.resources:
        words.append(f"({', '.join(entitlement.resources)})")
    if entitlement.reason:
        words.append(f"– {entitlement.reason}")
    return " ".join(words)
