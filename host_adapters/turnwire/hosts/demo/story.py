"""What the demo is about: a few notes, a wish, and a model that says what stands here.

Owns texts alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["NOTES", "PROMPT", "REPLIES", "RESULT"]

PROMPT = "Collect the open tasks from my notes into tasks.md."

RESULT = "tasks.md"

NOTES = {
    "notes/monday.md": (
        "# Monday\n\nThe harbour office called about the papers of the boat.\n"
        "TODO: send Mira the insurance number\n"
    ),
    "notes/tuesday.md": (
        "# Tuesday\n\nThe sail is at the loft until Friday.\n"
        "TODO: fetch the sail\nTODO: ask the loft about the torn batten\n"
    ),
    "notes/wednesday.md": "# Wednesday\n\nNothing new. Wind from the north.\n",
}
"""The sample files, by their path in the folder."""

_TASKS = """# Tasks

- [ ] send Mira the insurance number (Monday)
- [ ] fetch the sail, by Friday (Tuesday)
- [ ] ask the loft about the torn batten (Tuesday)
"""


def _reply(text: str, tokens: int, *calls: tuple[str, Mapping[str, str]]) -> dict[str, Any]:
    return {
        "text": text,
        "delta_chars": 5,
        "calls": [{"name": name, "arguments": arguments} for name, arguments in calls],
        "usage": {"input": tokens, "output": len(text) // 4, "total": tokens + len(text) // 4},
    }


REPLIES = (
    _reply("Let me see what is here.", 310, ("glob", {"pattern": "**/*.md"})),
    _reply(
        "Three days of notes. Which lines in them are tasks?",
        372,
        ("grep", {"pattern": "TODO", "path": "notes"}),
    ),
    _reply(
        "Three tasks, two of them from Tuesday. I read that day as a whole.",
        468,
        ("read", {"path": "notes/tuesday.md"}),
    ),
    _reply(
        "That is all I need. To write the list changes your folder, so you are asked first.",
        561,
        ("write", {"path": RESULT, "content": _TASKS}),
    ),
    _reply(
        "Your answer came back to me as the result of my call: a file where you allowed it, "
        "a refusal and its reason where you did not. I take either and end here.",
        655,
    ),
)
"""The lines of the scripted model; the last one is true whatever the person answers."""
