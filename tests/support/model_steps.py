"""What the model server answers, in the short forms of our cases, and step by step.

Knows nothing of turnwire.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

DONE = b"data: [DONE]\n\n"
SSE = {"content-type": "text/event-stream"}


def data(value: Any) -> bytes:
    """One event with ``value`` as its data; text goes out as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    try:
        return b"data: " + text.encode() + b"\n\n"
    except UnicodeEncodeError:
        # Half of a surrogate pair can only stand as an escape.
        return b"data: " + json.dumps(value).encode() + b"\n\n"


def delta(fields: dict[str, Any], finish: str | None = None, **beside: Any) -> bytes:
    return data({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}], **beside})


def txt(text: Any) -> bytes:
    return delta({"content": text})


ABSENT = object()


def tc(index: Any, id: Any, name: Any, arguments: Any) -> bytes:  # noqa: A002
    """A piece of a call; ABSENT leaves a key out."""
    function = {"name": name, "arguments": arguments}
    call = {"index": index, "id": id, "type": "function", "function": _present(function)}
    return delta({"tool_calls": [_present(call)]})


def fin(reason: str | None) -> bytes:
    return delta({}, reason)


def usage(**counts: Any) -> bytes:
    return data({"choices": [], "usage": counts})


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not ABSENT}


# --- what a reply does, step by step --------------------------------------------------------------


@dataclass
class Drip:
    """These bytes, each in a packet of its own."""

    content: bytes


@dataclass
class Pause:
    """Wait, as a slow server does."""

    seconds: float


@dataclass
class Signal:
    """Tell the test that the server has come this far."""

    event: threading.Event


@dataclass
class Await:
    """Wait until the test says so."""

    event: threading.Event


class Reset(Exception):
    """The connection is reset there."""


class Cut(Exception):
    """The connection is closed there, in the middle of the body."""


class Hang(Exception):
    """Nothing more comes until the client goes away."""


Step = bytes | Drip | Pause | Signal | Await | type[Reset] | type[Cut] | type[Hang]


@dataclass
class Reply:
    """One answer. Without a fault among ``steps`` the body ends cleanly after them. ``close``
    closes the connection afterwards without a word, as servers do with one that was kept too long.
    """

    steps: Iterable[Step] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: dict(SSE))
    close: bool = False
    silent: bool = False
    """Close instead of answering."""


def error(status: int, fields: Any, headers: dict[str, str] | None = None) -> Reply:
    """An answer with an error object, or with ``fields`` as its body if they are bytes."""
    body = fields if isinstance(fields, bytes) else json.dumps({"error": fields}).encode()
    return Reply([body], status, {"content-type": "application/json", **(headers or {})})


OK = Reply((txt("ok"), fin("stop"), DONE))
