"""Scripts for the model server: the lines of ``scripted:FILE`` played over HTTP.

Beside what such a line may say, a line for the server may hold ``raw`` (pieces of the body as they
are), ``flood`` ({"piece", "count"}: so many deltas, in thousands), ``delay`` (seconds before the
answer), ``status``, ``headers`` and ``body`` (an answer of one piece) and ``then`` (reset, cut or
hang after what was said). Knows nothing of turnwire.
"""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

from support import strict_provider
from support.model_server import ModelServer
from support.model_steps import (
    ABSENT,
    DONE,
    SSE,
    Cut,
    Hang,
    Pause,
    Reply,
    Reset,
    Step,
    data,
    delta,
    error,
    fin,
    tc,
    txt,
    usage,
)

_FAULTS = {
    "overloaded": 503,
    "rate_limited": 429,
    "server_error": 500,
    "unauthorized": 401,
    "bad_request": 400,
    "model_unavailable": 404,
}
_THEN: dict[str, Step] = {"reset": Reset, "cut": Cut, "hang": Hang}


def replies_of(lines: Iterable[str]) -> Iterator[Reply]:
    """Give a reply for each line of a script, the last one for ever if it says ``repeat``."""
    for line in filter(str.strip, lines):
        said = json.loads(line)
        reply = reply_of(said)
        yield from repeat(reply) if said.get("repeat") else (reply,)


def reply_of(said: dict[str, Any]) -> Reply:
    """Give the answer over HTTP to what the line ``said`` says."""
    status, headers = said.get("status", 200), {**SSE, **said.get("headers", {})}
    before: list[Step] = [Pause(said["delay"])] if "delay" in said else []
    if "body" in said:
        return Reply([*before, said["body"].encode()], status, headers)
    fault = said.get("fault")
    if fault is not None and not said.get("text"):
        return _refusal(fault)
    if "flood" in said:
        thousand = txt(said["flood"]["piece"]) * 1000
        before += [thousand] * (said["flood"]["count"] // 1000)
    pieces = [piece.encode() for piece in said.get("raw", ())] or list(_pieces(said))
    return Reply([*before, b"".join(pieces), *_ending(said)], status, headers)


def _refusal(fault: dict[str, Any]) -> Reply:
    wait = fault.get("wait_seconds")
    headers = {} if wait is None else {"retry-after": str(wait)}
    return error(_FAULTS[fault["code"]], {"message": fault["message"]}, headers)


def _pieces(said: dict[str, Any]) -> Iterator[bytes]:
    size = said.get("delta_chars", 0)
    for piece in _cut(said.get("reasoning", ""), size):
        yield delta({"reasoning_content": piece})
    field = "refusal" if said.get("finish") == "refusal" else "content"
    for piece in _cut(said.get("text", ""), size):
        yield delta({field: piece})
    for index, call in enumerate(said.get("calls", ())):
        text = call.get("arguments_text", json.dumps(call.get("arguments", {})))
        yield tc(index, call.get("id", f"call_{index}"), call["name"], "")
        for piece in _cut(text, size):
            yield tc(index, ABSENT, ABSENT, piece)


def _cut(text: str, size: int) -> Iterator[str]:
    size = size or max(1, len(text))
    return (text[at : at + size] for at in range(0, len(text), size))


def _ending(said: dict[str, Any]) -> list[Step]:
    if "fault" in said:
        return [data({"error": said["fault"]})]
    if said.get("hold"):
        return [Hang]
    if "then" in said:
        return [_THEN[said["then"]]]
    if "raw" in said:
        return []
    label = said.get("finish", "tool_calls" if said.get("calls") else "stop")
    counts = said.get("usage")
    reported = b""
    if counts is not None:
        reported = usage(prompt_tokens=counts["input"], completion_tokens=counts["output"])
    return [fin("stop" if label == "refusal" else label) + reported + DONE]


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted model behind HTTP.")
    parser.add_argument("--script", type=Path, help="one reply a line; without it each is ok")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--strict", action="store_true", help="refuse broken histories")
    options = parser.parse_args()
    lines = options.script.read_text(encoding="utf-8").splitlines() if options.script else []
    check = strict_provider.fault_of if options.strict else None
    with ModelServer(replies_of(lines), check=check, port=options.port) as server:
        print(server.port, flush=True)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})
