"""A model behind a chat completions endpoint: OpenAI, vLLM, llama.cpp, LM Studio, OpenRouter and
others.

Owns one request from its body to its outcome. Bodies are written by ``openai_request`` and read by
``openai_reply``; the way there is ``http``'s. Tries nothing twice: that is the core's business.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio
import msgspec

from turnwire.protocol.faults import ErrorCode, WireError
from turnwire.protocol.version import VERSION
from turnwire.runner.core.ports import LivePort, ModelFault, ModelOutcome, ModelRequest
from turnwire.runner.providers.address import endpoint
from turnwire.runner.providers.assemble import Assembly
from turnwire.runner.providers.errors import STOPPED, BadKey, ProviderFault, provider_error
from turnwire.runner.providers.faults import fault_of_status, own_words
from turnwire.runner.providers.http import Connection, Response
from turnwire.runner.providers.network import Network
from turnwire.runner.providers.openai_reply import ReplyReader
from turnwire.runner.providers.openai_request import RequestWriter
from turnwire.runner.providers.openai_usage import usage_of
from turnwire.runner.providers.sse import EventStream, EventTooLong

__all__ = ["OpenAIChat"]

_LONGEST_WHOLE_BYTES = 64 * 1024 * 1024
"""A completion that does not stream is held in memory as a whole."""
_LONGEST_REFUSAL_BYTES = 64 * 1024
"""What is read of the body of an HTTP error."""
_AFTER_THE_LABEL_SECONDS = 5.0
"""Usage may still follow when a reply is complete."""
_AFTER_THE_END_SECONDS = 0.2
"""After the end mark only the end of the body is missing, which keeps the connection."""


class OpenAIChat:
    """One conversation with one model. ``base_url`` is checked already; ``key`` goes there and
    nowhere else.
    """

    def __init__(
        self, name: str, model: str, *, base_url: str, key: str | None, network: Network
    ) -> None:
        """``name`` is what the person wrote, ``model`` what the endpoint calls it. BadKey: no
        header can hold ``key``.
        """
        self.name = name
        self._key = key
        self._writer = RequestWriter(model)
        self._connection = Connection(
            endpoint(base_url, "/chat/completions"), _headers(key), network
        )
        self._remarked = False

    async def reply(
        self, request: ModelRequest, port: LivePort, stopped: Callable[[ModelFault], None]
    ) -> ModelOutcome:
        """Make one request; see :class:`turnwire.runner.core.ports.Model`."""
        exchange = _Exchange(port, self._key, remark=self._remark_once(port))
        try:
            await self._connection.post(self._writer.body(request), exchange.read)
        except ProviderFault as fault:
            return exchange.outcome(fault)
        except anyio.get_cancelled_exc_class():
            stopped(exchange.broken(STOPPED))
            raise
        return exchange.outcome(None)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._connection.aclose()

    def _remark_once(self, port: LivePort) -> Callable[[str], None]:
        """A gateway with a habit shows it in every reply; once is enough."""

        def remark(message: str) -> None:
            if not self._remarked:
                self._remarked = True
                port.notice("provider_habit", message)

        return remark


class _Exchange:
    """One request's answer: a stream of events, or one completion from a server that does not
    stream.
    """

    def __init__(self, port: LivePort, key: str | None, *, remark: Callable[[str], None]) -> None:
        self._key = key
        self._assembly = Assembly(port.delta)
        self._reader = ReplyReader(self._assembly, remark=remark, key=key)
        self._events = EventStream()
        self._whole = bytearray()
        self._take: Callable[[bytes], bool] | None = None

    async def read(self, response: Response) -> None:
        """Read the answer to its end. ProviderFault: it is none, or it broke off."""
        if not 200 <= response.status < 300:
            body = await response.read(_LONGEST_REFUSAL_BYTES)
            raise self._refused(response, body)
        async for chunk in response.chunks():
            take = self._take or self._choose(chunk)
            if take(chunk):
                response.progress()
            if self._assembly.ended:
                response.ending(_AFTER_THE_END_SECONDS)
            elif self._assembly.finish is not None:
                response.ending(_AFTER_THE_LABEL_SECONDS)
        if self._whole:
            self._reader.read_whole(bytes(self._whole))
        else:
            self._reader.close(self._events.close())

    def outcome(self, fault: ProviderFault | None) -> ModelOutcome:
        """Give what came of it. A reply that was complete before ``fault`` stays complete."""
        if fault is not None and self._assembly.finish is None and not self._assembly.ended:
            return self.broken(fault.error, fault.wait_seconds)
        try:
            return self._assembly.outcome(usage_of(self._reader.usage))
        except ProviderFault as too_long:
            return self.broken(too_long.error)

    def broken(self, error: WireError, wait_seconds: float | None = None) -> ModelFault:
        """Give the fault ``error`` with what had arrived before it."""
        return ModelFault(
            error=error,
            wait_seconds=wait_seconds,
            usage=usage_of(self._reader.usage),
            partial=self._assembly.text_so_far(),
        )

    def _choose(self, chunk: bytes) -> Callable[[bytes], bool]:
        """A body's first sign says what it is; what servers call it is often wrong."""
        sign = chunk.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if sign == b"<":
            said = own_words(chunk, self._key)
            message = f"The address answers with {said} instead of a completion."
            raise ProviderFault(provider_error(ErrorCode.BAD_STREAM, message, retryable=False))
        take = self._take_whole if sign in (b"{", b"[") else self._take_events
        if sign:
            self._take = take
        return take

    def _take_events(self, chunk: bytes) -> bool:
        try:
            return self._reader.feed(self._events.feed(chunk))
        except EventTooLong as wrong:
            message = f"The provider sent {wrong}."
            error = provider_error(ErrorCode.BAD_STREAM, message, retryable=False)
            raise ProviderFault(error) from None

    def _take_whole(self, chunk: bytes) -> bool:
        self._whole += chunk
        if len(self._whole) > _LONGEST_WHOLE_BYTES:
            message = f"The completion is longer than {_LONGEST_WHOLE_BYTES:,} bytes."
            raise ProviderFault(provider_error(ErrorCode.BAD_STREAM, message, retryable=False))
        return True

    def _refused(self, response: Response, body: bytes) -> ProviderFault:
        now = time.time()
        fault = fault_of_status(response.status, response.headers, body, now=now, key=self._key)
        if fault.error.code != ErrorCode.UNAUTHORIZED or self._key is not None:
            return fault
        message = f"{fault.error.message} No key was sent; --api-key-env names the variable of one."
        return ProviderFault(msgspec.structs.replace(fault.error, message=message))


def _headers(key: str | None) -> list[tuple[str, str]]:
    headers = [
        ("content-type", "application/json"),
        ("accept", "text/event-stream"),
        ("user-agent", f"turnwire/{VERSION}"),
    ]
    if key is not None:
        if not key.isascii() or not key.isprintable() or " " in key:
            raise BadKey("The key holds characters that no key has, such as blanks or line ends.")
        headers.append(("authorization", f"Bearer {key}"))
    return headers
