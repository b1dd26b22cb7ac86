"""A model behind a real HTTP server that does what its script says, faults of the wire included.

In a test: ``with ModelServer([Reply([txt("ok"), fin("stop"), DONE])]) as server``. As a process:
``python tests/support/model_server.py --script FILE`` prints its port and plays the lines of a
script (``model_script``). Knows nothing of turnwire. Requests beyond the script get "ok".
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any, BinaryIO, Self

if __name__ == "__main__":
    # Run by its path, this file's neighbours are not to be found otherwise.
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.model_steps import OK, Await, Cut, Drip, Hang, Pause, Reply, Reset, Signal, Step, error


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


# --- the server -----------------------------------------------------------------------------------


class ModelServer:
    """Serves ``replies`` one after another, a thread for each connection, on a free port of
    127.0.0.1.

    ``check`` looks at each request and may refuse it with its reason (``strict_provider``).
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        check: Callable[[Any], str | None] | None = None,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.client_left = threading.Event()
        self._replies = chain(replies, repeat(OK))
        self._check = check
        self._tls = tls
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._count = 0
        self._listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self.port: int = self._listener.getsockname()[1]
        self.base_url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone leaves a thread in accept() for ever.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._count += 1
            arguments = connection, self._count
            threading.Thread(target=self._serve, args=arguments, daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with self._lock:
            self._open.add(connection)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as incoming:
                while (request := _read_request(incoming, number)) is not None:
                    reply = self._next_reply(request)
                    if reply.silent or not self._answer(connection, reply):
                        break
        except OSError:
            pass
        finally:
            with self._lock:
                self._open.discard(connection)

    def _next_reply(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            wrong = self._check(request.json) if self._check is not None else None
            return next(self._replies) if wrong is None else error(400, {"message": wrong})

    def _answer(self, connection: socket.socket, reply: Reply) -> bool:
        """Play ``reply``; say whether the connection goes on."""
        answer = _Answer(connection, reply)
        try:
            for step in reply.steps:
                answer.play(step)
            answer.send(b"0\r\n\r\n")
        except Reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        except Cut:
            return False
        except Hang:
            connection.recv(1)
            self.client_left.set()
            return False
        except OSError:
            self.client_left.set()
            return False
        return not reply.close


class _Answer:
    """One answer on its way out."""

    def __init__(self, connection: socket.socket, reply: Reply) -> None:
        lines = [f"HTTP/1.1 {reply.status} Scripted", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        self._connection = connection
        # It goes out together with the first bytes.
        self._head = "\r\n".join([*lines, "", ""]).encode()

    def send(self, content: bytes) -> None:
        self._connection.sendall(self._head + content if self._head else content)
        self._head = b""

    def play(self, step: Step) -> None:
        if isinstance(step, bytes):
            self.send(_chunk(step))
            return
        if isinstance(step, Drip):
            for at in range(len(step.content)):
                self.send(_chunk(step.content[at : at + 1]))
            return
        self.send(b"")
        if isinstance(step, Pause):
            threading.Event().wait(step.seconds)
        elif isinstance(step, Signal):
            step.event.set()
        elif isinstance(step, Await):
            step.event.wait(30)
        else:
            raise step


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content) if content else b""


def _read_request(incoming: BinaryIO, connection: int) -> Request | None:
    method, _, rest = incoming.readline(65_536).decode("latin-1").partition(" ")
    if not rest:
        return None
    headers: dict[str, str] = {}
    while line := incoming.readline(65_536).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    body = incoming.read(int(headers.get("content-length", "0")))
    return Request(method, rest.split(" ")[0], headers, body, connection)


if __name__ == "__main__":
    from support.model_script import main

    main()
