"""The dialogues of the spec, played against a real child: each step in its order, each line compared.

What differs from run to run (times, process ids, paths), and words that nobody parses, is compared by its
type alone; everything else must be what the dialogue says, no line more and no line less.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

from support.child import Child, child
from support.spec_vectors import VECTORS

__all__ = ["VARIES", "dialogues", "play", "settled", "steps_of"]

VARIES = frozenset(
    {"at", "cwd", "ended_at", "pid", "schema_sha256", "session", "started_at", "version"}
)
"""Fields whose value is another one in each run (spec/vectors/README.md)."""

_MOMENT = re.compile(r"\d{13}")


def dialogues() -> list[Path]:
    """The files of all dialogues."""
    return sorted((VECTORS / "dialogues").glob("*.jsonl"))


def steps_of(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head of a dialogue and its steps."""
    head, *steps = (json.loads(line) for line in path.read_bytes().split(b"\n") if line)
    return head, steps


def settled(value: Any) -> Any:
    """Give ``value`` with the type of what varies in the place of what it is."""
    if isinstance(value, list):
        return [settled(item) for item in value]
    if isinstance(value, str):
        return _MOMENT.sub("<moment>", value)
    if not isinstance(value, dict):
        return value
    varies = VARIES | _words_in(value)
    return {
        name: type(inner).__name__ if name in varies else settled(inner)
        for name, inner in value.items()
    }


def _words_in(value: dict[str, Any]) -> set[str]:
    """The fields of an object that hold words for people, a tool's result, or the child's own answer."""
    if value.get("type") == "tool_result":
        return {"content"}
    if "truncated" in value:
        return {"preview", "chars"}
    if value.get("type") == "message":
        said = value["message"]
        return {"message"} if said["role"] == "assistant" and value["row"] is None else set()
    return {"message", "lines"}


def play(head: dict[str, Any], steps: list[dict[str, Any]], folder: Path) -> list[Any]:
    """Play a dialogue in ``folder``; gives the exit code and then whatever the child said besides."""
    for name, text in head.get("files", {}).items():
        (folder / name).write_text(text)
    if "script" in head:
        lines = (json.dumps(reply) + "\n" for reply in head["script"])
        (folder / "script.jsonl").write_text("".join(lines))
    with child(folder, *head["flags"], answers=head["answers"]) as run:
        heard = itertools.count()
        for step in steps:
            if step.get("to") == "host":
                _hear(run, step["line"], next(heard))
            else:
                _act(run, step)
        code = run.finish()
        return [code, *run.events[next(heard) :]]


def _hear(run: Child, expected: dict[str, Any], number: int) -> None:
    seen = itertools.count()
    said = run.read_until(lambda _: next(seen) == number)
    assert settled(said) == settled(expected)


def _act(run: Child, step: dict[str, Any]) -> None:
    if "line" in step:
        run.send(**step["line"])
    elif "text" in step:
        run.send_raw(step["text"].encode() + b"\n")
    elif "signal" in step:
        os.kill(run.process.pid, getattr(signal, step["signal"]))
    else:
        assert step == {"to": "child", "end": True}
        run.close_answers()
