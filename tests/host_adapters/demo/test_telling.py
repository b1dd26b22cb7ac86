"""Nothing that a child says can do anything to the person's terminal."""

from __future__ import annotations

import io
from typing import Any

import msgspec

from turnwire.hosts.demo.screen import Screen
from turnwire.hosts.demo.telling import Teller
from turnwire.protocol.events import Event

EVIL = "\x1b]0;evil\x07\u202e\r\x9b"


def told(*events: dict[str, Any]) -> str:
    out = io.StringIO()
    teller = Teller(Screen(out))
    for seq, event in enumerate(events, 1):
        settled = {} if event["type"] == "delta" else {"seq": seq, "at": 0}
        teller.tell(msgspec.convert({**settled, **event}, Event))
    return out.getvalue()


def row(**fields: Any) -> dict[str, Any]:
    return {"type": "row", "id": "c1", "kind": "tool", **fields}


CALL = {"name": f"read{EVIL}", "preview": EVIL, "arguments_sha256": ""}
RESULT = {"is_error": True, "chars": 1, "truncated": False, "preview": f"a{EVIL}\nb\nc"}
REQUEST = {
    "type": "human_request",
    "id": "h",
    "step": 0,
    "kind": "confirm",
    "message": EVIL,
    "expects_response": True,
    "data": {"lines": [EVIL, "x" * 500]},
}


def test_C10_everything_a_child_says_is_made_visible() -> None:
    text = told(
        row(status="running", call=CALL),
        {"type": "delta", "row": "c1", "port": "text", "text": EVIL},
        {"type": "notice", "level": "info", "code": "c", "message": EVIL},
        REQUEST,
        row(status="failed", result=RESULT),
    )
    assert set(text) & set(EVIL) <= set("]0;evil")
    assert text.count("<ESC>") >= 6


def test_a_card_is_wrapped_and_never_cut() -> None:
    lines = told(REQUEST).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.count("x") for line in lines) == 500


def test_each_status_of_a_call_is_told_once() -> None:
    text = told(
        row(status="pending", call=CALL),
        row(status="running"),
        row(progress={"message": "half"}),
        row(status="done", result=RESULT),
    )
    assert [line.split()[0] for line in text.splitlines() if line] == ["›", "✓"]
    assert "(+2 lines)" in text


def test_running_text_is_wrapped_at_words() -> None:
    pieces = ["And so it goes on, ", "wor", "d by word. "] * 20
    text = told(*({"type": "delta", "row": "r", "port": "text", "text": p} for p in pieces))
    assert max(map(len, text.splitlines())) <= 100
    assert "wor\n" not in text


def test_a_later_protocols_events_are_passed_over() -> None:
    assert told(
        {
            "type": "ready",
            "model": "m",
            "tools": [],
            "guardrails": [],
            "completion": None,
            "budget": {},
        }
    ).startswith("  ready")
