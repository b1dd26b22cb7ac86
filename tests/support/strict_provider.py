"""What a strict provider refuses in the messages of a request. Knows nothing of turnwire."""

from __future__ import annotations

import json
from typing import Any


def fault_of(body: Any) -> str | None:
    """Give what is wrong, if anything: an orphan call or result, an id that is empty or occurs
    twice, arguments that are no JSON object, content that is empty.
    """
    seen: set[str] = set()
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                return "a result lacks its call"
        elif waiting:
            return "a call lacks its result"
        calls = message.get("tool_calls")
        wrong = _fault_of_calls(message, calls, seen) or _fault_of_content(message, calls)
        if wrong is not None:
            return wrong
        waiting += [call["id"] for call in calls or ()]
    return "a call lacks its result" if waiting else None


def _fault_of_calls(message: Any, calls: Any, seen: set[str]) -> str | None:
    if calls is None:
        return None
    if message["role"] != "assistant" or not calls:
        return "tool_calls is empty or out of place"
    for call in calls:
        if not call["id"] or call["id"] in seen:
            return "an id is empty or occurs twice"
        seen.add(call["id"])
        if not _is_object(call["function"]["arguments"]):
            return "arguments are no JSON object"
    return None


def _fault_of_content(message: Any, calls: Any) -> str | None:
    content = message["content"]
    if calls and content is None:
        return None
    if isinstance(content, list):
        texts = [part["text"] for part in content if part["type"] == "text"]
        return None if content and all(text.strip() for text in texts) else "a part is empty"
    return None if isinstance(content, str) and content.strip() else "content is empty"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
