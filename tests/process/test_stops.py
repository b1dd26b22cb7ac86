"""Every way to stop a child, over a real one: the last line is `end`, and nothing is left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.child import Child, call, child, eventually, is_alive, say, script

# A shell that ignores TERM, with a grandchild, both of which tell their numbers.
STUBBORN = "trap '' TERM; sleep 90 & echo $$ $! > pids; wait; sleep 90"
BASH = ("--tools", "bash", "--approval", "never")


def running_tool(run: Child, folder: Path) -> list[int]:
    """Wait until the tool runs and give the numbers of its processes."""
    run.until("row", status="running", id="t1.c1")
    assert eventually(
        lambda: (folder / "pids").exists() and bool((folder / "pids").read_text().strip())
    )
    return [int(pid) for pid in (folder / "pids").read_text().split()]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_B20_a_signal_ends_tool_and_run(tmp_path: Path, number: signal.Signals, code: int) -> None:
    model = script(tmp_path, call(("bash", {"command": STUBBORN})), say("never said"))
    with child(tmp_path, "go", "--model", model, *BASH) as run:
        pids = running_tool(run, tmp_path)
        run.process.send_signal(number)
        assert run.finish() == code
    assert run.events[-1]["type"] == "end" and run.events[-1]["status"] == "interrupted"
    assert [e for e in run.all("row") if e["id"] == "t1.c1"][-1]["status"] == "cancelled"
    assert not any(is_alive(pid) for pid in pids)


def test_B20_T19_a_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": STUBBORN})), say("never said"))
    with child(tmp_path, "go", "--model", model, *BASH) as run:
        pids = running_tool(run, tmp_path)
        run.process.send_signal(signal.SIGINT)
        run.until("notice", code="stopping")
        run.process.send_signal(signal.SIGINT)
        assert run.finish() == 130
    assert [e for e in run.all("row") if e["id"] == "t1.c1"][-1]["status"] == "unknown_effect"
    assert eventually(lambda: not any(is_alive(pid) for pid in pids))


def test_T19_an_interrupt_line_stops_the_model(tmp_path: Path) -> None:
    model = script(tmp_path, say("half of it", hold=True), say("next"))
    with child(tmp_path, "--chat", "go", "--model", model, answers="fd") as run:
        run.until("delta")
        run.send(type="interrupt")
        ended = run.until("turn_end")
        assert ended["status"] == "interrupted" and ended["text"] == "half of it"
        asked = run.until("human_request", kind="elicit")
        run.send(type="answer", id=asked["id"], action="accept", content={"message": "and now?"})
        assert run.until("turn_end", turn="t2")["status"] == "done"
        run.close_answers()
        assert run.finish() == 0


def test_B16_a_reader_that_leaves_ends_the_run(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": STUBBORN})), say("never said"))
    with child(tmp_path, "go", "--model", model, *BASH) as run:
        pids = running_tool(run, tmp_path)
        assert run.process.stdout is not None and run.process.stderr is not None
        run.process.stdout.close()
        run.process.stderr.close()
        assert run.process.wait(30) == 74
    assert not any(is_alive(pid) for pid in pids)
    [log] = (tmp_path / "sessions").glob("*/events.jsonl")
    assert b'"status":"host_gone"' in log.read_bytes().splitlines()[-1]


def test_B17_a_killed_host_takes_the_child_along(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": STUBBORN})), say("never said"))
    host = (
        "import os,subprocess,sys,time\n"
        "p=subprocess.Popen(sys.argv[1:],stdout=subprocess.PIPE)\n"
        "print(p.pid,flush=True)\ntime.sleep(90)\n"
    )
    command = [
        sys.executable,
        "-m",
        "turnwire",
        "run",
        "go",
        "--model",
        model,
        *BASH,
        "--no-session",
    ]
    killed = subprocess.Popen(
        [sys.executable, "-c", host, *command], cwd=tmp_path, stdout=subprocess.PIPE
    )
    assert killed.stdout is not None
    pid = int(killed.stdout.readline())
    assert eventually(
        lambda: (tmp_path / "pids").exists() and bool((tmp_path / "pids").read_text())
    )
    killed.kill()
    killed.wait()
    killed.stdout.close()
    assert eventually(lambda: not is_alive(pid))
    assert not any(is_alive(int(tool)) for tool in (tmp_path / "pids").read_text().split())


def test_B29_P6_a_closed_channel_refuses_at_once(tmp_path: Path) -> None:
    two = call(("bash", {"command": "touch a"})), call(("bash", {"command": "touch b"}))
    model = script(tmp_path, *two, call(("glob", {"pattern": "*"})), say("ok"))
    flags = ("--tools", "bash,glob", "--no-ask", "glob")
    with child(tmp_path, "go", "--model", model, *flags, answers="fd") as run:
        run.until("human_request")
        run.close_answers()
        assert run.finish() == 4
    assert [closed["by"] for closed in run.all("human_closed")] == ["channel_lost", "channel_lost"]
    assert not (tmp_path / "a").exists() and not (tmp_path / "b").exists()
    assert [e for e in run.all("row") if e["id"] == "t1.c3"][-1]["status"] == "done"


def test_U6_T13_time_runs_out_in_a_tool(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": "sleep 90"})), say("never said"))
    with child(tmp_path, "go", "--model", model, *BASH, "--max-seconds", "0.3") as run:
        assert run.finish() == 5
    assert run.events[-1]["stopped_by"] == "max_seconds"


def test_C16_an_interrupt_closes_the_open_request(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": "touch a"})), say("never said"))
    with child(tmp_path, "go", "--model", model, "--tools", "bash", answers="fd") as run:
        asked = run.until("human_request")
        run.send(type="interrupt")
        run.send(type="answer", id=asked["id"], action="accept")
        assert run.finish() == 130
    assert run.all("human_closed")[0]["by"] == "interrupted"
    assert run.all("refused")[0]["code"] == "already_closed"
    assert not (tmp_path / "a").exists()


def test_B20_a_host_that_ignores_its_children_hides_no_exit_code(tmp_path: Path) -> None:
    model = script(tmp_path, call(("bash", {"command": "exit 3"})), say("ok"))

    def ignore() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    with child(tmp_path, "go", "--model", model, *BASH, preexec_fn=ignore) as run:
        assert run.finish() == 0
    [row] = [row for row in run.all("row") if "result" in row]
    assert row["status"] == "failed" and "3" in row["result"]["preview"]
