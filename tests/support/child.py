"""A real child over real pipes, as a host sees it, without any library of ours between them.

Every wait has a bound: a child that hangs fails the test that waits for it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

Event = dict[str, Any]
WAIT_SECONDS = 30.0


def say(text: str, **more: Any) -> Event:
    """A scripted reply of text."""
    return {"text": text, **more}


def call(*calls: tuple[str, Mapping[str, Any]], **more: Any) -> Event:
    """A scripted reply of calls."""
    return {"calls": [{"name": name, "arguments": dict(a)} for name, a in calls], **more}


def script(folder: Path, *replies: Event) -> str:
    """Write a scripted model into ``folder`` and give what --model says."""
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return f"scripted:{path}"


class Child:
    """A started child. ``events`` are those read so far, ``raw`` their bytes."""

    def __init__(self, process: subprocess.Popen[bytes], answers: int | None) -> None:
        self.process = process
        self.answers = answers
        self.events: list[Event] = []
        self.raw = b""
        self._rest = b""

    @property
    def stdout(self) -> int:
        """The descriptor to read events from."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def read_until(self, wanted: Callable[[Event], bool]) -> Event:
        """Read until an event is ``wanted``, and give it."""
        seen = 0
        while True:
            for event in self.events[seen:]:
                seen += 1
                if wanted(event):
                    return event
            if not self._read_more():
                raise AssertionError(f"the child ended first; it said {self.events[-3:]}")

    def until(self, type_: str, /, **fields: Any) -> Event:
        """Read until an event of that type has these fields."""
        return self.read_until(
            lambda e: e["type"] == type_ and all(e.get(k) == v for k, v in fields.items())
        )

    def send(self, **line: Any) -> None:
        """Write one host line."""
        self.send_raw(json.dumps(line).encode() + b"\n")

    def send_raw(self, data: bytes) -> None:
        """Write bytes to the answers descriptor."""
        assert self.answers is not None
        while data:
            data = data[os.write(self.answers, data) :]

    def close_answers(self) -> None:
        """End the answers."""
        if self.answers is not None:
            os.close(self.answers)
            self.answers = None

    def finish(self) -> int:
        """Read to the end and give the exit code."""
        while self._read_more():
            pass
        return self.process.wait(WAIT_SECONDS)

    def all(self, kind: str) -> list[Event]:
        """The events of that type, read so far."""
        return [event for event in self.events if event["type"] == kind]

    def _read_more(self) -> bool:
        ready, _, _ = select.select([self.stdout], [], [], WAIT_SECONDS)
        if not ready:
            raise AssertionError(f"the child is silent; it said {self.events[-3:]}")
        chunk = os.read(self.stdout, 1 << 16)
        self.raw += chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self.events += [json.loads(line) for line in lines]
        if not chunk:
            assert self._rest == b"", "the last line has no LF"
        return bool(chunk)


@contextmanager
def child(
    folder: Path,
    *flags: str,
    answers: str = "none",
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> Generator[Child]:
    """Start ``turnwire run`` with ``flags`` in ``folder``; answers over ``fd``, ``stdin`` or ``none``."""
    theirs, ours = os.pipe() if answers == "fd" else (None, None)
    command = [sys.executable, "-m", "turnwire", "run", *flags]
    if "--session-dir" not in flags and "--no-session" not in flags:
        command += ["--session-dir", str(folder / "sessions")]
    if theirs is not None:
        command += ["--answers-fd", str(theirs)]
        options["pass_fds"] = (theirs,)
    if answers == "stdin":
        command += ["--answers-stdin"]
        options["stdin"] = subprocess.PIPE
    options = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **options}
    variables = {**os.environ, **(environment or {})}
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=variables,
        **options,
    )
    if theirs is not None:
        os.close(theirs)
    if answers == "stdin" and process.stdin is not None:
        ours = os.dup(process.stdin.fileno())
        process.stdin.close()
    running = Child(cast("subprocess.Popen[bytes]", process), ours)
    try:
        yield running
    finally:
        running.close_answers()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that nobody has collected yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Look until ``condition`` holds, for ``seconds`` at most."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        select.select([], [], [], 0.01)
    return True
