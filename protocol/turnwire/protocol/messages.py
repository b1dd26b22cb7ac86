"""The transcript's messages: a role and its content blocks.

Owns the shape only; which histories a provider accepts is decided in ``runner.core.history``.
"""

from __future__ import annotations

import enum

from turnwire.protocol.base import Word
from turnwire.protocol.content import ContentBlock, Text

__all__ = ["Role", "TranscriptMessage", "text_of"]


class Role(enum.StrEnum):
    """Who speaks in a message of the transcript."""

    USER = "user"
    """The person, or the program that stands for one."""
    ASSISTANT = "assistant"
    """The model: text, reasoning and proposed calls."""
    TOOL = "tool"
    """One tool result; adapters join neighbouring ones where a provider wants that."""


class TranscriptMessage(Word, frozen=True, kw_only=True):
    """One message of the transcript. ``content`` is never empty."""

    role: Role
    content: tuple[ContentBlock, ...]


def text_of(message: TranscriptMessage) -> str:
    """Join the text blocks of ``message``; other blocks are passed over."""
    return "".join(block.text for block in message.content if isinstance(block, Text))
