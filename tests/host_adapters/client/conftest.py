"""Children that misbehave: small scripts, each run by a real interpreter in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import anyio
import pytest

from turnwire.hosts.client import Bounds, Options

PRELUDE = """
import json, os, signal, subprocess, sys

answers_fd = int(sys.argv[sys.argv.index("--answers-fd") + 1]) if "--answers-fd" in sys.argv else None

def write(data):
    data = data.encode() if isinstance(data, str) else data
    while data:
        data = data[os.write(1, data):]

def notice(message, seq=1):
    write(json.dumps({"type": "notice", "seq": seq, "at": 0, "level": "info", "code": "c",
                      "message": message}) + "\\n")

def ask(id, **more):
    write(json.dumps({"type": "human_request", "seq": 1, "at": 0, "id": id, "step": 0,
                      "kind": "confirm", "message": "?", "expects_response": True, **more}) + "\\n")

def closed(id, by):
    write(json.dumps({"type": "human_closed", "seq": 1, "at": 0, "id": id, "action": None,
                      "by": by}) + "\\n")

def call(id, name, arguments):
    write(json.dumps({"type": "tool_request", "seq": 1, "at": 0, "id": id, "name": name,
                      "arguments": arguments}) + "\\n")

def end(code=0):
    write(json.dumps({"type": "end", "seq": 9, "at": 0, "status": "done", "stopped_by": None,
                      "exit_code": code, "turns": 1, "usage": {}, "denials": 0,
                      "open_requests": [], "last_seq": 9, "session": None}) + "\\n")

def hold():
    os.set_inheritable(os.open(os.environ["LIFELINE"], os.O_WRONLY), True)
    notice("holding")

def lines():
    return os.fdopen(answers_fd, "rb")
"""

BOUNDS = Bounds(linger_seconds=20, grace_seconds=0.5)
"""As patient as a slow machine needs, save with children that ignore TERM."""


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., Options]:
    """Give a maker of options that run ``script`` as the child."""

    def make(script: str, *, bounds: Bounds = BOUNDS, **options: Any) -> Options:
        command = (sys.executable, "-S", "-c", PRELUDE + dedent(script))
        environment = {**os.environ, "LIFELINE": str(tmp_path / "lifeline")}
        return Options(command=command, environment=environment, bounds=bounds, **options)

    return make


class Lifeline:
    """A named pipe that a child and its offspring hold open: its end says that all of them are gone."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    async def cut(self) -> None:
        with anyio.fail_after(5):
            await anyio.wait_readable(self.descriptor)
        assert os.read(self.descriptor, 1) == b""

    def is_held(self) -> bool:
        try:
            return os.read(self.descriptor, 1) != b""
        except BlockingIOError:
            return True


@pytest.fixture
def lifeline(tmp_path: Path) -> Iterator[Lifeline]:
    line = Lifeline(tmp_path / "lifeline")
    yield line
    os.close(line.descriptor)
