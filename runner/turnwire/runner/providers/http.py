"""One conversation's way to its provider: a POST at a time, its answer as raw bytes. The one user
of httpx.

Owns connections, TLS, deadlines and the sizes that an answer may have, and names what went wrong on
the way. Knows nothing of what the bodies say. Only ``httpx``'s transport is used: its client adds
cookies, redirects and a fifth of a millisecond to every request, and we want none of them.
"""

from __future__ import annotations

import importlib.util
import socket
import ssl
import sys
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from typing import Any, TypeVar

import anyio

from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.text import visible
from turnwire.runner.providers.address import origin, proxy_for
from turnwire.runner.providers.errors import BadAddress, ProviderFault, provider_error
from turnwire.runner.providers.network import Network

# httpx's command line, of no use here, brings rich along where that is installed: 60 ms and 8 MB.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
if importlib.util.find_spec("sniffio") is None:
    # httpcore asks for it four times a request, and each time the whole path would be searched: 0.2 ms.
    sys.modules["sniffio"] = None  # type: ignore[assignment]
import httpx  # noqa: E402

__all__ = ["Connection", "Response"]

LONGEST_ANSWER_BYTES = 1024 * 1024 * 1024
"""A million deltas are about 200 MB on the wire; what is longer than this has no end."""

_KEEP_ALIVE_SECONDS = 120.0
"""Tools run for minutes between two requests. A server that closes earlier costs one new
connection.
"""

_Result = TypeVar("_Result")


class Response:
    """An answer that is being read. ``headers`` have lower-case names."""

    def __init__(self, answer: httpx.Response, scope: anyio.CancelScope, place: Connection) -> None:
        self._answer = answer
        self._origin = place.origin
        self._scope = scope
        self._patience = place.patience
        self._renew_at = 0.0
        self.status = answer.status_code
        self.headers: Mapping[str, str] = answer.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        """Give the bytes of the body as they arrive. ProviderFault: the connection broke, or no end
        comes.
        """
        size = 0
        with _named(self._origin):
            async for chunk in self._body():
                size += len(chunk)
                if size > LONGEST_ANSWER_BYTES:
                    raise _fault(ErrorCode.BAD_STREAM, "The answer has no end.", retryable=False)
                yield chunk

    def _body(self) -> AsyncIterable[bytes]:
        stream = self._answer.stream
        if "content-encoding" in self.headers or not isinstance(stream, httpx.AsyncByteStream):
            return self._answer.aiter_bytes()
        # What lies below httpx's own iterators; without a content coding it is the same and faster.
        return stream

    async def read(self, limit: int) -> bytes:
        """Give the body up to ``limit`` bytes; the rest is left unread."""
        body = bytearray()
        async for chunk in self.chunks():
            body += chunk
            if len(body) >= limit:
                break
        return bytes(body[:limit])

    def progress(self) -> None:
        """Note that the answer moves on: from now the provider has ``Patience.idle`` again.

        What merely keeps the connection alive is no progress (A43).
        """
        now = anyio.current_time()
        if now >= self._renew_at:
            # A timer is moved at most once a second, or a tenth of the wait, not for every token.
            self._renew_at = now + min(1.0, self._patience.idle / 10)
            self._scope.deadline = now + self._patience.idle

    def ending(self, seconds: float) -> None:
        """Note that the answer is complete: what may still follow it has ``seconds``, and not more
        for whatever comes in them.
        """
        self._renew_at = float("inf")
        self._scope.deadline = min(self._scope.deadline, anyio.current_time() + seconds)


class Connection:
    """The way to one address. Connects with the first request and keeps the connection for the
    next.
    """

    def __init__(self, url: str, headers: Sequence[tuple[str, str]], network: Network) -> None:
        self.origin = origin(url)
        self.patience = network.patience
        self._network = network
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL as wrong:
            message = f"The base URL is no address: {_reason(wrong)}."
            raise BadAddress(message) from None
        self._headers = [(name.encode(), value.encode()) for name, value in headers]
        self._headers.append((b"host", self._url.netloc))
        # Compressed streams come in bursts, and tokens are wanted as they are produced.
        self._headers.append((b"accept-encoding", b"identity"))
        self._timeouts = {"connect": network.patience.connect, "pool": network.patience.connect}
        self._transport: httpx.AsyncHTTPTransport | None = None

    async def post(self, body: bytes, read: Callable[[Response], Awaitable[_Result]]) -> _Result:
        """Send ``body`` once and give what ``read`` makes of the answer.

        ProviderFault: no connection, silence beyond the network's patience, or an answer that broke
        off.
        """
        with anyio.CancelScope(deadline=anyio.current_time() + self.patience.first) as scope:
            answer = await self._send(body)
            try:
                return await read(Response(answer, scope, self))
            finally:
                await answer.aclose()
        raise _fault(ErrorCode.TIMED_OUT, f"{self.origin} said nothing for too long.")

    async def aclose(self) -> None:
        """Close what is open."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    async def _send(self, body: bytes) -> httpx.Response:
        if self._transport is None:
            self._transport = await self._open()
        connecting = _Connecting()
        with _named(self.origin):
            try:
                return await self._transport.handle_async_request(self._request(body, connecting))
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
                if connecting.seen or not _is_closed_unanswered(error):
                    raise
            # The server had closed a connection that was kept: it never saw the request.
            return await self._transport.handle_async_request(self._request(body, connecting))

    def _request(self, body: bytes, connecting: _Connecting) -> httpx.Request:
        length = (b"content-length", b"%d" % len(body))
        extensions = {"timeout": self._timeouts, "trace": connecting}
        stream = httpx.ByteStream(body)
        return httpx.Request(
            "POST",
            self._url,
            headers=[*self._headers, length],
            stream=stream,
            extensions=extensions,
        )

    async def _open(self) -> httpx.AsyncHTTPTransport:
        if self._url.scheme == "https":
            # It takes tens of milliseconds, in which the loop has better things to do.
            context = await anyio.to_thread.run_sync(_trusting, self._network)
        else:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        proxy = proxy_for(str(self._url), self._network.proxies)
        limits = httpx.Limits(max_keepalive_connections=2, keepalive_expiry=_KEEP_ALIVE_SECONDS)
        try:
            return httpx.AsyncHTTPTransport(
                verify=context, trust_env=False, limits=limits, proxy=proxy
            )
        except (ImportError, ValueError, httpx.InvalidURL) as wrong:
            message = f"The proxy of the environment cannot be used: {visible(str(wrong), 200)}."
            raise _fault(ErrorCode.UNREACHABLE, message, retryable=False) from None


class _Connecting:
    """Notes whether a request needed a new connection, so that none of those is tried twice in
    silence.
    """

    def __init__(self) -> None:
        self.seen = False

    async def __call__(self, event: str, details: Mapping[str, Any]) -> None:
        if event.startswith("connection.connect"):
            self.seen = True


def _is_closed_unanswered(error: httpx.TransportError) -> bool:
    """Tell a connection that was closed before an answer from an answer that is no HTTP; httpx has
    one type for both.
    """
    return not isinstance(error, httpx.RemoteProtocolError) or "disconnected" in str(error)


def _trusting(network: Network) -> ssl.SSLContext:
    chosen = network.certificate_file, network.certificate_folder
    if chosen == (None, None):
        return httpx.create_ssl_context(trust_env=False)
    try:
        return ssl.create_default_context(cafile=chosen[0], capath=chosen[1])
    except OSError as wrong:
        place = visible(chosen[0] or chosen[1] or "", 200)
        message = f"The certificates in {place} cannot be read: {visible(str(wrong), 200)}."
        raise _fault(ErrorCode.UNREACHABLE, message, retryable=False) from None


# --- what went wrong on the way -------------------------------------------------------------------


@contextmanager
def _named(where: str) -> Generator[None]:
    """Let no error of httpx out of here."""
    try:
        yield
    except httpx.ConnectTimeout:
        raise _fault(ErrorCode.UNREACHABLE, f"{where} did not take a connection in time.") from None
    except (httpx.ConnectError, httpx.PoolTimeout, httpx.ProxyError) as error:
        raise _unreachable(where, error) from None
    except httpx.DecodingError:
        message = f"{where} compressed its answer in a way that cannot be read."
        raise _fault(ErrorCode.BAD_STREAM, message, retryable=False) from None
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
        message = f"The request to {where} cannot be made: {visible(str(error), 200)}."
        raise _fault(ErrorCode.BAD_REQUEST, message, retryable=False) from None
    except httpx.RequestError as error:
        message = f"{where} broke off its answer: {_reason(error)}."
        raise _fault(ErrorCode.BAD_STREAM, message) from None


def _unreachable(where: str, error: BaseException) -> ProviderFault:
    """A refused connection may be a server that is starting; a name or a certificate stays wrong."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            message = f"The certificate of {where} is not trusted: {cause.verify_message}."
            return _fault(ErrorCode.UNREACHABLE, message, retryable=False)
        if isinstance(cause, socket.gaierror):
            again = cause.errno == socket.EAI_AGAIN
            message = f"No machine answers to the name in {where}: {cause.strerror}."
            return _fault(ErrorCode.UNREACHABLE, message, retryable=again)
        if isinstance(cause, ConnectionRefusedError):
            return _fault(ErrorCode.UNREACHABLE, f"{where} refused the connection.")
    return _fault(ErrorCode.UNREACHABLE, f"There is no connection to {where}: {_reason(error)}.")


def _reason(error: BaseException) -> str:
    """Httpx often has no words; the system that it heard it from does."""
    causes = (cause.strerror for cause in _causes(error) if isinstance(cause, OSError))
    said = str(error) or next(filter(None, causes), type(error).__name__)
    return visible(said, 200).rstrip(".")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        for inner in getattr(error, "exceptions", ()):
            yield from _causes(inner)
        error = error.__cause__ or error.__context__


def _fault(code: ErrorCode, message: str, *, retryable: bool = True) -> ProviderFault:
    return ProviderFault(provider_error(code, message, retryable=retryable))
