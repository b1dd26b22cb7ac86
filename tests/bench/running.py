"""Starting what is measured: the model server, children, floors."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
_numbers = itertools.count(1)


class Server(NamedTuple):
    """The model server."""

    port: int

    def base(self, name: str, what: str) -> str:
        """The base URL under which requests are counted as ``name`` and answered as ``what``."""
        return f"http://127.0.0.1:{self.port}/{name}/{what}/v1"

    def times(self, name: str) -> list[float]:
        """When the requests of ``name`` had arrived, in monotonic seconds."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{name}/times") as answer:
            return json.load(answer)


class Finished(NamedTuple):
    """A process that is over: times are monotonic seconds, memory is bytes at the peak."""

    started: float
    first_line: float
    ended: float
    memory: int
    lines: int
    size: int
    cpu: float


@contextmanager
def model_server() -> Generator[Server]:
    """Run the model server as a process of its own."""
    process = subprocess.Popen([sys.executable, HERE / "server.py"], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield Server(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


def fresh(kind: str) -> str:
    """A name that no other measured process has."""
    return f"{kind}{next(_numbers)}"


def environment() -> dict[str, str]:
    """The environment of what is measured: compiled files are used, no proxies are asked for."""
    drop = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    return {k: v for k, v in os.environ.items() if k not in drop and "proxy" not in k.lower()}


def finish(command: list[str], cwd: Path) -> Finished:
    """Run ``command`` to its end, reading what it writes as fast as it comes."""
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    reader = process.stdout.fileno()
    first, lines, size = 0.0, 0, 0
    while chunk := os.read(reader, 1 << 16):
        first = first or time.monotonic()
        lines += chunk.count(b"\n")
        size += len(chunk)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended = time.monotonic()
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    unit = 1 if sys.platform == "darwin" else 1024
    return Finished(started, first, ended, usage.ru_maxrss * unit, lines, size, cpu)


def turnwire(base: str, cwd: Path, *flags: str) -> list[str]:
    """The command of a child whose log lies beside its working folder."""
    sessions = cwd / "sessions"
    model = ["--model", "openai:bench", "--base-url", base, "--session-dir", str(sessions)]
    return [sys.executable, "-m", "turnwire", "run", "Go.", *model, *flags]


def floor(name: str, *arguments: str) -> list[str]:
    """The command of a floor."""
    return [sys.executable, str(HERE / name), *arguments]
