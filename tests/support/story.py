"""One run as its events: a retried round, an approved call, a host tool, a refused line, a rewind.

Every settled type occurs in it, and deltas of rows that settle well and badly.
"""

from __future__ import annotations

import itertools
from typing import Any

import msgspec

from turnwire.protocol.codec import Unknown, decode_event
from turnwire.protocol.events import Event

HASH = "0" * 64
_TOOL = {"tool_use_id": "call_1", "tool_name": "write", "arguments_sha256": HASH}
_CALL = {"name": "write", "preview": '{"path":"a.txt"}', "arguments_sha256": HASH}
_USE = {"type": "tool_use", "id": "call_1", "name": "write", "arguments": {"path": "a.txt"}}
_USAGE = {"input": 10, "output": 5}
_OVERLOADED = {"code": "overloaded", "message": "No capacity.", "fault": "provider"}
_COUNTS = {"turns": 1, "denials": 0, "usage": {"input": 20, "output": 10}}


def said(index: int, role: str, row: str | None, *content: dict[str, Any]) -> dict[str, Any]:
    message = {"role": role, "content": content}
    return {"type": "message", "turn": "t1", "index": index, "row": row, "message": message}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def delta(row: str, port: str, words: str, **more: int) -> dict[str, Any]:
    return {"type": "delta", "row": row, "port": port, "text": words, **more}


def row(identity: str, **fields: Any) -> dict[str, Any]:
    return {"type": "row", "turn": "t1", "id": identity, **fields}


BEGINNING: list[dict[str, Any]] = [
    {
        "type": "hello",
        "protocol": "1.0",
        "schema_sha256": HASH,
        "runner": {"name": "turnwire", "version": "0.1.0", "pid": 7},
        "session": "s1",
        "resumed": False,
        "answers": "fd",
        "on_unanswered": "deny",
        "approval": "ask",
        "limits": {},
        "cwd": "/tmp",
    },
    {
        "type": "ready",
        "model": "scripted:story",
        "tools": [{"name": "write", "source": "builtin", "reach": ["filesystem"], "asks": True}],
        "guardrails": [],
        "completion": None,
        "budget": {"max_rounds": 8},
    },
    row("t1", kind="turn", status="running", title="Write a file", started_at=1),
    said(0, "user", None, text("Write a file")),
    row("r1", parent="t1", kind="round", status="running"),
    delta("r1", "text", "I am thrown "),
    row("r1", status="failed", error=_OVERLOADED),
    {"type": "notice", "turn": "t1", "level": "warning", "code": "retry", "message": "Again."},
    row("r2", parent="t1", kind="round", status="running"),
    delta("r2", "reasoning", "Hm."),
    delta("r2", "text", "I write "),
    delta("r2", "text", "it."),
    delta("r2", "arguments", '{"path"', call_index=0),
]
"""Up to the middle of the second round."""

ASKING: list[dict[str, Any]] = [
    said(1, "assistant", "r2", text("I write it."), _USE),
    row("r2", status="done", usage=_USAGE),
    row("call_1", parent="t1", kind="tool", status="pending", title="write a.txt", call=_CALL),
    {
        "type": "human_request",
        "turn": "t1",
        "id": "h1",
        "step": 1,
        "row": "call_1",
        "kind": "confirm",
        "message": "May write run?",
        "expects_response": True,
        "data": {"reach": ["filesystem:write"], "lines": ['path: "a.txt"']},
        "actions": ["accept", "decline", "cancel"],
        "scopes": ["once", "session"],
        "metadata": _TOOL,
    },
    row("call_1", status="waiting"),
    {"type": "refused", "line": 1, "code": "malformed", "message": "No.", "id": None},
]
"""Up to the wait for a person."""

ENDING: list[dict[str, Any]] = [
    {"type": "accepted", "turn": "t1", "line": 2, "id": "h1"},
    {
        "type": "human_closed",
        "turn": "t1",
        "id": "h1",
        "action": "accept",
        "by": "human",
        "reason": "go on",
    },
    row("call_1", status="running", title=None),
    {"type": "tool_request", "turn": "t1", "id": "call_1", "name": "write", "arguments": {}},
    delta("call_1", "progress", "half"),
    delta("call_1", "output", "writing"),
    {"type": "tool_closed", "turn": "t1", "id": "call_1", "by": "result"},
    said(
        2,
        "tool",
        "call_1",
        {"type": "tool_result", "tool_use_id": "call_1", "content": [text("written")]},
    ),
    row(
        "call_1",
        status="done",
        result={"is_error": False, "chars": 7, "truncated": False, "preview": "written"},
    ),
    row("r3", parent="t1", kind="round", status="running"),
    delta("r3", "text", "Done."),
    said(3, "assistant", "r3", text("Done.")),
    row("r3", status="done", usage=_USAGE),
    row("t1", status="done"),
    {
        "type": "turn_end",
        "turn": "t1",
        "status": "done",
        "stopped_by": None,
        "text": "I write it.Done.",
        "output": None,
        "attempts": 0,
        "rounds": 2,
        "usage": _COUNTS["usage"],
        "denials": 0,
        "untaken": [],
        "messages": 4,
    },
    {"type": "rewound", "messages": 4},
    {
        "type": "end",
        "status": "done",
        "stopped_by": None,
        "exit_code": 0,
        "open_requests": [],
        "last_seq": 0,
        "session": "s1",
        **_COUNTS,
    },
]
"""Up to the last line."""

STORY = [*BEGINNING, *ASKING, *ENDING]


def told(lines: list[dict[str, Any]], first: int = 1) -> list[Event]:
    """Number the settled lines from ``first`` and read all of them as events."""
    numbers = itertools.count(first)
    return [read(line if line["type"] == "delta" else number(line, numbers)) for line in lines]


def number(line: dict[str, Any], numbers: itertools.count[int]) -> dict[str, Any]:
    seq = next(numbers)
    return {**line, "seq": seq, "at": 1_700_000_000_000 + seq}


def read(line: dict[str, Any]) -> Event:
    event = decode_event(msgspec.json.encode(line))
    assert not isinstance(event, Unknown)
    return event
