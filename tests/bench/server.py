"""A model server for measuring: raw asyncio, prepared answers, as little work per request as can be.

The path says what is wanted: ``/NAME/calls-N/v1/chat/completions`` answers with a tool call N times in a row
and then with text; ``/NAME/deltas-N/…`` streams N deltas; ``/NAME/slow-MS/…`` answers with text after MS
milliseconds. ``GET /NAME/times`` gives the monotonic times, in seconds, at which requests of NAME had arrived.
Prints its port.
"""

from __future__ import annotations

import asyncio
import json

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
BLOCK = 1000
times: dict[str, list[float]] = {}


def data(delta: dict[str, object], finish: str | None = None) -> bytes:
    """One line of the stream, in the shape of the chat completions API."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "x", "object": "chat.completion.chunk", "model": "bench", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def chunked(body: bytes) -> bytes:
    """One chunk of HTTP/1.1."""
    return b"%x\r\n%s\r\n" % (len(body), body)


USAGE = (
    b'data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}\n\n'
)
TAIL = USAGE + b"data: [DONE]\n\n"


def call(number: int) -> bytes:
    """An answer that is one tool call."""
    function = {"name": "note", "arguments": ""}
    opened = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    body = data({"role": "assistant", "content": None, "tool_calls": [opened]})
    for piece in ('{"text":', f'"note number {number}"}}'):
        body += data({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    return HEAD + chunked(body + data({}, "tool_calls") + TAIL) + b"0\r\n\r\n"


TEXT = HEAD + chunked(data({"content": "done"}) + data({}, "stop") + TAIL) + b"0\r\n\r\n"


class Connection(asyncio.Protocol):
    """One keep-alive connection."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = self.wanted = 0
        self.answered = 0
        self.writable = asyncio.Event()
        self.writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def data_received(self, data: bytes) -> None:
        self.parts.append(data)
        self.size += len(data)
        if not self.wanted:
            self.wanted = self._length()
        if self.wanted and self.size >= self.wanted:
            request = self.parts[0]
            self.parts, self.size, self.wanted = [], 0, 0
            self._answer(request.split(b" ", 2)[1].decode())

    def _length(self) -> int:
        head, end, _ = b"".join(self.parts).partition(b"\r\n\r\n")
        if not end:
            return 0
        lines = head.lower().split(b"\r\n")
        length = next((line[15:] for line in lines if line.startswith(b"content-length:")), b"0")
        return len(head) + 4 + int(length)

    def _answer(self, path: str) -> None:
        _, name, what, *_ = path.split("/")
        if what == "times":
            body = json.dumps(times.get(name, [])).encode()
            self.transport.write(
                b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
            )
            return
        loop = asyncio.get_running_loop()
        times.setdefault(name, []).append(loop.time())
        kind, number = what.split("-")
        if kind == "calls":
            self.answered += 1
            self.transport.write(call(self.answered) if self.answered <= int(number) else TEXT)
        elif kind == "slow":
            loop.call_later(int(number) / 1000, self.transport.write, TEXT)
        else:
            self.streaming = loop.create_task(self._stream(int(number)))

    async def _stream(self, count: int) -> None:
        block = chunked(data({"content": "word "}) * BLOCK)
        self.transport.write(HEAD)
        for _ in range(count // BLOCK):
            self.transport.write(block)
            await self.writable.wait()
        self.transport.write(chunked(data({}, "stop") + TAIL) + b"0\r\n\r\n")


async def main() -> None:
    """Serve until killed."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=200)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
