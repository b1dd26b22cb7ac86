"""Talking with a model in a test: what it is asked, what it tells live, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio
import msgspec

from turnwire.protocol.content import Image, Text, ToolResult, ToolUse
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.protocol.rows import Port
from turnwire.runner.core.ports import (
    Model,
    ModelFault,
    ModelOutcome,
    ModelReply,
    ModelRequest,
    ProposedCall,
    ToolSchema,
)
from turnwire.runner.providers.network import Network, Patience
from turnwire.runner.providers.openai_chat import OpenAIChat

READ = ToolSchema(name="read", description="Read a file.", input_schema={"type": "object"})
KEY = "sk-test-0123456789abcdef"


class Listener:
    """A live port that remembers."""

    def __init__(self) -> None:
        self.deltas: list[tuple[Port, str, int | None]] = []
        self.notices: list[tuple[str, str]] = []
        self.stopped: list[ModelFault] = []
        self.heard = anyio.Event()

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        self.deltas.append((port, text, call_index))
        self.heard.set()

    def notice(self, code: str, message: str) -> None:
        self.notices.append((code, message))

    def text(self, port: Port = Port.TEXT, call_index: int | None = None) -> str:
        told = (each for each in self.deltas if each[0] is port and each[2] == call_index)
        return "".join(text for _, text, _ in told)


def openai(base_url: str, *, key: str | None = KEY, **patience: float) -> OpenAIChat:
    network = Network(patience=Patience(**patience))
    return OpenAIChat("openai:test", "test", base_url=base_url, key=key, network=network)


async def ask(
    model: Model, request: ModelRequest | None = None, listener: Listener | None = None
) -> ModelOutcome:
    """Make one request within ten seconds."""
    listener = listener or Listener()
    with anyio.fail_after(10):
        return await model.reply(request or said("hi"), listener, listener.stopped.append)


def said(*turns: Any, system: str | None = None, tools: Iterable[ToolSchema] = ()) -> ModelRequest:
    """A request with these messages: a text is one of the user's, what is a message stays."""
    messages = tuple(user(turn) if isinstance(turn, str) else turn for turn in turns)
    return ModelRequest(messages=messages, system=system, tools=tuple(tools))


def user(*parts: str | Image) -> TranscriptMessage:
    return TranscriptMessage(role=Role.USER, content=blocks(*parts))


def assistant(*parts: Any) -> TranscriptMessage:
    content = tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
    return TranscriptMessage(role=Role.ASSISTANT, content=content)


def use(id: str, arguments: bytes = b"{}", name: str = "read") -> ToolUse:  # noqa: A002
    return ToolUse(id=id, name=name, arguments=msgspec.Raw(arguments))


def result(id: str, *parts: str | Image) -> TranscriptMessage:  # noqa: A002
    block = ToolResult(tool_use_id=id, content=blocks(*parts))
    return TranscriptMessage(role=Role.TOOL, content=(block,))


def blocks(*parts: str | Image) -> tuple[Text | Image, ...]:
    return tuple(Text(text=part) if isinstance(part, str) else part for part in parts)


def reply_of(outcome: ModelOutcome) -> ModelReply:
    assert isinstance(outcome, ModelReply), outcome
    return outcome


def fault_of(outcome: ModelOutcome) -> ModelFault:
    assert isinstance(outcome, ModelFault), outcome
    return outcome


def calls_of(outcome: ModelOutcome) -> list[ProposedCall]:
    return [block for block in reply_of(outcome).content if isinstance(block, ProposedCall)]


def shown(outcome: ModelOutcome) -> list[tuple[str, bytes]]:
    """Name and arguments of each call, all of which must be fit to run."""
    calls = calls_of(outcome)
    assert all(call.invalid is None for call in calls), calls
    return [(call.name, call.arguments) for call in calls]


def text_of(outcome: ModelOutcome) -> str:
    return "".join(block.text for block in reply_of(outcome).content if isinstance(block, Text))
