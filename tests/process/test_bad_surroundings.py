"""A host that sleeps, floods or hands over odd descriptors, a disk that is full, a folder that is gone."""

from __future__ import annotations

import json
import os
import pty
import resource
import select
import signal
import socket
import subprocess
import sys
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.child import WAIT_SECONDS, Event, call, child, eventually, say, script

TURNWIRE = (sys.executable, "-m", "turnwire")


def test_B20_B16_a_signal_ends_a_child_whose_reader_sleeps(tmp_path: Path) -> None:
    # Far more than pipe and backlog hold of deltas, and settled lines that nobody takes.
    model = script(tmp_path, say("word " * 200_000, delta_chars=1, hold=True))
    with child(tmp_path, "go", "--model", model) as run:
        run.until("delta")
        run.process.send_signal(signal.SIGTERM)
        assert run.process.wait(WAIT_SECONDS) == 143
    [log] = (tmp_path / "sessions").glob("*/events.jsonl")
    assert json.loads(log.read_bytes().splitlines()[-1])["status"] == "interrupted"


def test_a_flood_of_bad_lines_is_refused_as_a_range(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": "touch a"})), say("ok"))
    flood = b'{"type":"answer","id":"q9","action":"accept"}\n' * 10_000
    with child(tmp_path, "go", "--model", model, "--tools", "bash", answers="fd") as run:
        asked = run.until("human_request")
        # All of it is taken although nothing of stdout is read meanwhile.
        run.send_raw(flood)
        run.send(type="answer", id=asked["id"], action="accept")
        assert run.finish() == 0
    ranges = [line.get("lines") or [line["line"]] * 2 for line in run.all("refused")]
    covered = [number for first, last in ranges for number in range(first, last + 1)]
    assert covered == list(range(1, 10_001))
    assert "overrun" in {line["code"] for line in run.all("refused")}
    assert (tmp_path / "a").exists()


def _read_all(descriptor: int) -> bytes:
    taken = b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], WAIT_SECONDS)
        assert ready, "the child is silent"
        try:
            chunk = os.read(descriptor, 1 << 16)
        except OSError:  # how Linux says that nobody has a terminal's other end any more
            return taken
        if not chunk:
            return taken
        taken += chunk


def _socket_pair() -> tuple[int, int]:
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()


def _terminal() -> tuple[int, int]:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    return ours, theirs


@pytest.mark.parametrize("make", [_socket_pair, _terminal], ids=["socket", "terminal"])
def test_B01_events_arrive_whole_on_whatever_stdout_is(
    tmp_path: Path, make: Callable[[], tuple[int, int]]
) -> None:
    ours, theirs = make()
    model = script(tmp_path, say("word " * 40_000, delta_chars=500))
    command = [*TURNWIRE, "run", "go", "--model", model, "--no-session"]
    run = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=theirs)
    os.close(theirs)
    events = [json.loads(line) for line in _read_all(ours).split(b"\n")[:-1]]
    os.close(ours)
    assert run.wait(WAIT_SECONDS) == 0
    _whole(events)


def test_B01_events_arrive_whole_in_a_file(tmp_path: Path) -> None:
    model = script(tmp_path, say("word " * 40_000, delta_chars=500))
    command = [*TURNWIRE, "run", "go", "--model", model, "--no-session"]
    with open(tmp_path / "out", "wb") as out:
        subprocess.run(command, cwd=tmp_path, stdout=out, timeout=WAIT_SECONDS, check=True)
    _whole([json.loads(line) for line in (tmp_path / "out").read_bytes().split(b"\n")[:-1]])


def _whole(events: list[Event]) -> None:
    assert [events[0]["type"], events[-1]["type"]] == ["hello", "end"]
    texts = [e["text"] for e in events if e["type"] == "delta" and e["port"] == "text"]
    assert "".join(texts) == "word " * 40_000


def test_S2_a_full_disk_ends_the_run_before_what_it_could_not_keep(tmp_path: Path) -> None:
    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, 16_384))

    turns = [call(("bash", {"command": f"echo {number} >> ran"})) for number in range(60)]
    flags = ("--tools", "bash", "--approval", "never")
    # Where the tests are measured, the measuring could not keep its file either.
    unmeasured = dict.fromkeys((name for name in os.environ if "COVERAGE" in name), "")
    options: dict[str, Any] = {"environment": unmeasured, "preexec_fn": fill}
    with child(tmp_path, "go", "--model", script(tmp_path, *turns), *flags, **options) as run:
        assert run.finish() == 6
    assert "File too large" in run.events[-1]["error"]["message"]
    [log] = (tmp_path / "sessions").glob("*/events.jsonl")
    kept = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert kept == [event for event in run.events if "seq" in event][: len(kept)]
    started = [event for event in kept if event.get("status") == "running" and ".c" in event["id"]]
    assert len((tmp_path / "ran").read_text().split()) <= len(started) < 60


def test_a_working_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    model = script(tmp_path, say("ok"))
    command = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    run = subprocess.run(
        ["bash", "-c", command, "bash", *TURNWIRE, "run", "go", "--model", model, "--no-session"],
        cwd=tmp_path,
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert [event["type"] for event in events] == ["hello", "end"]
    assert run.returncode == events[-1]["exit_code"] == 2
    assert "working folder is gone" in events[-1]["error"]["message"]


def test_B16_a_reader_that_comes_back_finds_every_settled_line(tmp_path: Path) -> None:
    turns = [call(("bash", {"command": f"echo {number}"})) for number in range(60)]
    model = script(tmp_path, *turns, say("word " * 12_000, delta_chars=1))
    flags = ("--tools", "bash", "--approval", "never")
    with child(tmp_path, "go", "--model", model, *flags) as run:
        assert eventually(lambda: b'"turn_end"' in _log_of(tmp_path), WAIT_SECONDS)
        assert run.finish() == 0
    kept = [json.loads(line) for line in _log_of(tmp_path).splitlines()]
    assert kept == [event for event in run.events if "seq" in event]


def _log_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (folder / "sessions").glob("*/events.jsonl"))
