"""The transcript to the body of a chat completion, each message encoded once in a conversation.
Pure.

A request grows with the conversation, the work for it must not: what was made of a message is kept,
and a body is joined from bytes. Says only what OpenAI, vLLM, llama.cpp, LM Studio and OpenRouter
all take. Which messages are replayed is decided in ``core.history``. Thoughts are not replayed:
this format has no place for them that every server takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from turnwire.protocol.content import ContentBlock, Image, Text, ToolResult, ToolUse
from turnwire.protocol.messages import Role, TranscriptMessage, text_of
from turnwire.runner.core.ports import ModelRequest, ToolSchema
from turnwire.runner.providers.surrogates import mend_escapes

__all__ = ["RequestWriter"]

_NO_OUTPUT = "(no output)"
"""Strict servers refuse an empty result (A56)."""
_NAMED_IMAGE = "(an image, which follows below)"


class RequestWriter:
    """Writes the requests of one conversation with one model."""

    def __init__(self, model: str) -> None:
        stream = b'"stream":true,"stream_options":{"include_usage":true}'
        self._head = b'{"model":%b,%b' % (_encode(model), stream)
        self._system: str | None = None
        self._tools: Sequence[ToolSchema] = ()
        self._frame = b""
        self._known: list[TranscriptMessage] = []
        self._ends: list[int] = []
        # Each message with a comma before it.
        self._joined = bytearray()

    def body(self, request: ModelRequest) -> bytes:
        """Give the body of ``request``.

        What stood in the last one at the same place costs a copy of its bytes and nothing else.
        """
        framed = bool(self._frame) and request.system == self._system
        if not framed or (request.tools is not self._tools and request.tools != self._tools):
            self._write_frame(request)
        self._write_messages(request.messages)
        images = _images_of_results(self._known)
        last = b"," + _encode(images) if images else b""
        with memoryview(self._joined) as messages:
            first = 0 if self._system else 1
            return b"".join((self._frame, messages[first:], last, b"]}"))

    def _write_frame(self, request: ModelRequest) -> None:
        self._system, self._tools = request.system, request.tools
        tools = [_tool(each) for each in request.tools]
        named = b',"tools":' + _encode(tools) if tools else b""
        first = _encode({"role": "system", "content": request.system}) if request.system else b""
        self._frame = b'%b%b,"messages":[%b' % (self._head, named, first)

    def _write_messages(self, messages: Sequence[TranscriptMessage]) -> None:
        shared = self._shared(messages)
        if shared < len(self._known):
            del self._joined[self._ends[shared - 1] if shared else 0 :]
            del self._known[shared:], self._ends[shared:]
        for message in messages[shared:]:
            if message.role is not Role.TOOL and (images := _images_of_results(self._known)):
                self._joined += b"," + _encode(images)
            for translated in _translated(message):
                self._joined += b"," + _encode(translated)
            self._known.append(message)
            self._ends.append(len(self._joined))

    def _shared(self, messages: Sequence[TranscriptMessage]) -> int:
        """How many messages from the first on are the ones that are known."""
        known = self._known
        # Lists compare their elements by identity first, at the speed of C.
        if list(messages[: len(known)]) == known:
            return len(known)
        pairs = zip(messages, known, strict=False)
        return next((at for at, (new, old) in enumerate(pairs) if new is not old), 0)


# --- one message ----------------------------------------------------------------------------------


def _translated(message: TranscriptMessage) -> Iterator[dict[str, Any]]:
    if message.role is Role.USER:
        yield {"role": "user", "content": _said(message.content)}
    elif message.role is Role.ASSISTANT:
        yield from _assistant(message)
    else:
        for block in message.content:
            if isinstance(block, ToolResult):
                yield _tool_result(block)


def _assistant(message: TranscriptMessage) -> Iterator[dict[str, Any]]:
    """Blank text beside calls is said as null, an empty list of calls not at all (A08, A55); a
    message that held nothing but thoughts is left out.
    """
    text = text_of(message)
    said: dict[str, Any] = {"role": "assistant", "content": text if text.strip() else None}
    calls = [_tool_call(block) for block in message.content if isinstance(block, ToolUse)]
    if calls:
        said["tool_calls"] = calls
    if calls or said["content"] is not None:
        yield said


def _tool_call(use: ToolUse) -> dict[str, Any]:
    """Our own id goes out, never the provider's: it is unique in the session (A07, A08, D14)."""
    arguments = bytes(use.arguments).decode()
    return {
        "id": use.id,
        "type": "function",
        "function": {"name": use.name, "arguments": arguments},
    }


def _tool_result(result: ToolResult) -> dict[str, Any]:
    texts = [block.text if isinstance(block, Text) else _NAMED_IMAGE for block in result.content]
    text = "\n".join(texts)
    content = text if text.strip() else _NO_OUTPUT
    return {"role": "tool", "tool_call_id": result.tool_use_id, "content": content}


def _images_of_results(known: Sequence[TranscriptMessage]) -> dict[str, Any] | None:
    """The images of the results at the end of ``known``, as a message of the user: a result may
    hold text alone, and nothing may stand between the results of one message.
    """
    images: list[Image] = []
    for message in reversed(known):
        if message.role is not Role.TOOL:
            break
        for block in message.content:
            if isinstance(block, ToolResult):
                images[:0] = [part for part in block.content if isinstance(part, Image)]
    return {"role": "user", "content": _said(images)} if images else None


def _said(blocks: Sequence[ContentBlock]) -> str | list[dict[str, Any]]:
    """Text alone goes as a string, which every server takes."""
    texts = [block.text for block in blocks if isinstance(block, Text)]
    if len(texts) == len(blocks):
        return "\n".join(texts)
    return [part for block in blocks for part in _part(block)]


def _part(block: ContentBlock) -> Iterator[dict[str, Any]]:
    if isinstance(block, Text):
        yield {"type": "text", "text": block.text}
    elif isinstance(block, Image):
        url = f"data:{block.media_type};base64,{block.data}"
        yield {"type": "image_url", "image_url": {"url": url}}


def _tool(schema: ToolSchema) -> dict[str, Any]:
    function = {
        "name": schema.name,
        "description": schema.description,
        "parameters": dict(schema.input_schema),
    }
    return {"type": "function", "function": function}


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # Every border mends text; a request must still go out whatever slipped through.
        return mend_escapes(json.dumps(value)).encode()
