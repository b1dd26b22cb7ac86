"""What a chat completion says, streamed or whole, to the pieces that ``assemble`` takes. Pure.

Owns the format as servers really send it: OpenAI, Azure, vLLM, llama.cpp, LM Studio, OpenRouter,
Mistral and gateways in between. Stated rules: data that begins with a colon is a comment that a
gateway wrapped, and is skipped (A38); other data that is not JSON is a fault of the provider; the
last usage counts (A35); after the end mark nothing counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from turnwire.protocol.faults import ErrorCode
from turnwire.runner.core.ports import Finish
from turnwire.runner.providers.assemble import Assembly
from turnwire.runner.providers.blocks import CallPiece
from turnwire.runner.providers.errors import ProviderFault, provider_error
from turnwire.runner.providers.faults import fault_of_error, own_words
from turnwire.runner.providers.foreign import as_list, as_object, as_text

__all__ = ["ReplyReader"]

_END = b"[DONE]"

_FINISHES = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "content_filter": Finish.CONTENT_FILTER,
    "refusal": Finish.REFUSAL,
}
"""Every other label says nothing that the calls of a reply do not say better (A22)."""

_BREAKDOWNS = {
    "error": (ErrorCode.SERVER_ERROR, "The provider broke off its answer with an error."),
    "insufficient_system_resource": (ErrorCode.OVERLOADED, "The provider ran out of capacity."),
}
"""Labels that mean that the reply failed: OpenRouter's and DeepSeek's."""


class _Delta(msgspec.Struct, gc=False):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: Any = None


class _Choice(msgspec.Struct, gc=False):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: Any = None


class _Completion(msgspec.Struct, gc=False):
    """A chunk, or a whole completion; what is not read here is passed over."""

    choices: list[_Choice | None] | None = None
    usage: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Completion).decode


class ReplyReader:
    """Reads one reply into ``assembly``. ``usage`` is the last usage object that was said."""

    def __init__(
        self, assembly: Assembly, *, remark: Callable[[str], None], key: str | None
    ) -> None:
        self.usage: dict[str, Any] = {}
        self._assembly = assembly
        self._remark = remark
        self._key = key

    def feed(self, events: list[bytes]) -> bool:
        """Read the data of some events; say whether the reply moved on by them.

        ProviderFault: the provider says that it failed, or what it sends is no chat completion.
        """
        moved = False
        try:
            for data in events:
                if self._assembly.ended:
                    break
                if data == _END:
                    self._assembly.ended = moved = True
                elif data.startswith(b":"):
                    self._remark("The provider wrapped a comment as data; it was skipped.")
                else:
                    moved = self._read_chunk(self._completion(data)) or moved
        finally:
            self._assembly.flush()
        return moved

    def close(self, data: bytes | None) -> None:
        """Read the data of a last event without its blank line, if it is complete (A41)."""
        if data is not None and not self._assembly.ended and (data == _END or _is_json(data)):
            self.feed([data])

    def read_whole(self, body: bytes) -> None:
        """Read a whole completion, from a server that does not stream though it was asked to."""
        completion = self._completion(body)
        choice = self._read_rest(completion)
        if choice is not None:
            self._read_delta(choice.message or choice.delta, whole=True)
            self._read_label(choice.finish_reason)
        self._assembly.ended = choice is not None
        self._assembly.flush()

    def _completion(self, data: bytes) -> _Completion:
        try:
            return _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        try:
            # This one also takes halves of surrogate pairs, NaN and bytes that are no UTF-8.
            return msgspec.convert(json.loads(data.decode(errors="replace")), _Completion)
        except (ValueError, RecursionError):
            said = own_words(data[:1000], self._key)
            message = f"The provider sent something that is no chat completion: {said}"
            error = provider_error(ErrorCode.BAD_STREAM, message, retryable=True)
            raise ProviderFault(error) from None

    def _read_chunk(self, chunk: _Completion) -> bool:
        choice = self._read_rest(chunk)
        if choice is None:
            return bool(chunk.usage)
        delta = choice.delta
        if delta is not None:
            self._read_delta(delta, whole=False)
        if choice.finish_reason:
            self._read_label(choice.finish_reason)
        return True

    def _read_rest(self, completion: _Completion) -> _Choice | None:
        """Read what stands beside the reply, and give the reply: only one is ever asked for."""
        if completion.error:
            raise fault_of_error(completion.error, key=self._key)
        self.usage = as_object(completion.usage) or self.usage
        return completion.choices[0] if completion.choices else None

    def _read_label(self, label: object) -> None:
        if not isinstance(label, str) or not label:
            return
        if label in _BREAKDOWNS:
            code, message = _BREAKDOWNS[label]
            raise ProviderFault(provider_error(code, message, retryable=True))
        self._assembly.finish = _FINISHES.get(label, Finish.STOP)

    def _read_delta(self, delta: _Delta | None, *, whole: bool) -> None:
        if delta is None:
            return
        assembly = self._assembly
        thought = delta.reasoning_content or delta.reasoning
        if thought and isinstance(thought, str):
            assembly.reasoning(thought)
        content = delta.content
        if isinstance(content, str):
            assembly.text(content)
        elif content:
            self._read_parts(as_list(content))
        if delta.refusal:
            assembly.refusal(as_text(delta.refusal))
        if delta.tool_calls:
            for position, call in enumerate(as_list(delta.tool_calls)):
                assembly.call(_call_piece(as_object(call), position if whole else None))

    def _read_parts(self, parts: list[Any]) -> None:
        """Content as a list of parts (A44); kinds that are not known are passed over."""
        for part in map(as_object, parts):
            kind = part.get("type")
            if kind in ("text", "output_text"):
                self._assembly.text(as_text(part.get("text")))
            elif kind in ("thinking", "reasoning"):
                thought = part.get(kind, part)
                inner = as_list(thought) or [thought]
                self._assembly.reasoning("".join(map(_words, inner)))
            elif kind == "refusal":
                self._assembly.refusal(as_text(part.get("refusal")))


def _call_piece(call: dict[str, Any], position: int | None) -> CallPiece:
    """Take a piece of a call apart. In a whole completion each one is a call of its own, whatever
    its index says; in a stream an index that is missing stays missing (A01).
    """
    slot = call.get("index") if position is None else position
    function = as_object(call.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, (dict, list)):
        # Servers that speak like Ollama give the object itself.
        arguments = json.dumps(arguments)
    return CallPiece(
        slot if isinstance(slot, (int, str)) else None,
        id=as_text(call.get("id")),
        name=as_text(function.get("name")),
        arguments=as_text(arguments),
    )


def _words(part: object) -> str:
    return as_text(part) or as_text(as_object(part).get("text"))


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
