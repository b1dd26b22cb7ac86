"""The completion gate over a real child: a small broken project, and a model that mends it or does not."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from support.child import Event, call, child, eventually, is_alive, say, script

BROKEN = "def add(a, b):\n    return a - b\n"
TESTS = "from sums import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
TOOLS = ("--tools", "bash,edit,read", "--approval", "never")
MENDED = call(("edit", {"path": "sums.py", "old_string": "a - b", "new_string": "a + b"}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "sums.py").write_text(BROKEN)
    (folder / "test_sums.py").write_text(TESTS)
    return folder


def gate(command: str, attempts: int) -> tuple[str, ...]:
    return ("--verify-cmd", command, "--max-attempts", str(attempts))


def users(events: list[Event]) -> list[str]:
    said = [e["message"] for e in events if e["type"] == "message"]
    return [one["content"][0]["text"] for one in said if one["role"] == "user"]


def test_K1_K2_K9_the_gate_refuses_and_the_model_mends_it(tmp_path: Path, project: Path) -> None:
    expected = {"last_user_contains": "assert 0 == 4"}
    model = script(tmp_path, say("It works."), {**MENDED, "expect": expected}, say("Now it does."))
    with child(project, "Mend add.", "--model", model, *TOOLS, *gate(PYTEST, 3)) as run:
        assert run.finish() == 0
    assert run.all("ready")[0]["completion"] == {"kind": "command", "max_attempts": 3}
    rows = [row for row in run.all("row") if row["id"].startswith("t1.k")]
    assert [row["status"] for row in rows] == ["running", "failed", "running", "done"]
    assert "1 failed" in users(run.events)[1] and "attempt 1 of 3" in users(run.events)[1]
    [ended] = run.all("turn_end")
    assert (ended["attempts"], ended["text"]) == (2, "It works.\n\nNow it does.")
    # What the gate's command prints is seen while it runs.
    printed = "".join(e["text"] for e in run.all("delta") if e["row"] == "t1.k1")
    assert "1 failed" in printed


def test_K5_a_model_that_never_mends_it_is_not_done(tmp_path: Path, project: Path) -> None:
    model = script(tmp_path, say("It works."), say("It does work."), say("Believe me."))
    with child(project, "Mend add.", "--model", model, *TOOLS, *gate(PYTEST, 3)) as run:
        assert run.finish() == 5
    [ended] = run.all("turn_end")
    assert (ended["status"], ended["stopped_by"]) == ("incomplete", "completion")
    assert ended["text"].endswith("Believe me.") and ended["attempts"] == 3
    assert len(users(run.events)) == 3
    assert run.events[-1]["stopped_by"] == "completion"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "SIGKILL"),
        ("no-such-program-anywhere", "not found"),
        ("printf '\\377\\000'; false", "binary"),
        ("head -c 5000000 /dev/zero | tr '\\0' x; false", "5,000,000 characters"),
    ],
)
def test_K6_whatever_the_command_does_is_a_failed_attempt(
    tmp_path: Path, command: str, words: str
) -> None:
    with child(
        tmp_path, "go", "--model", script(tmp_path, say("Done."), say("So?")), *gate(command, 2)
    ) as run:
        assert run.finish() == 5
    told = users(run.events)[1]
    assert words in told and len(told) < 5_000


def test_E20_the_gates_command_sees_no_key(tmp_path: Path) -> None:
    key = {"OPENAI_API_KEY": "sk-secret-of-the-test"}
    flags = gate('test -z "$OPENAI_API_KEY"', 1)
    with child(
        tmp_path, "go", "--model", script(tmp_path, say("Done.")), *flags, environment=key
    ) as run:
        assert run.finish() == 0


def test_K7_B20_a_signal_ends_the_gates_command(tmp_path: Path) -> None:
    flags = gate("trap '' TERM; sleep 90 & echo $! > pid; wait", 2)
    with child(tmp_path, "go", "--model", script(tmp_path, say("Done.")), *flags) as run:
        run.until("row", id="t1.k1", status="running")
        assert eventually(
            lambda: bool((tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        )
        run.process.send_signal(signal.SIGTERM)
        assert run.finish() == 143
    assert [row for row in run.all("row") if row["id"] == "t1.k1"][-1]["status"] == "cancelled"
    assert not is_alive(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    "flags",
    [
        ["--verify-cmd", "true"],
        ["--max-attempts", "3"],
        ["--verify-cmd", " ", "--max-attempts", "3"],
        *(
            ["--verify-cmd", "true", "--max-attempts", bad]
            for bad in ("0", "-1", "1.5", "x", "none")
        ),
    ],
)
def test_K4_a_gate_without_a_good_number_is_refused(tmp_path: Path, flags: list[str]) -> None:
    with child(tmp_path, "go", "--model", script(tmp_path, say("never said")), *flags) as run:
        assert run.finish() == 2
    assert run.all("row") == []
    assert (
        "attempts" in run.events[-1]["error"]["message"]
        or "verify" in run.events[-1]["error"]["message"]
    )


@pytest.mark.parametrize("bad", ["true", "2.0", '"x"', "0"])
def test_K4_a_file_is_read_as_strictly(tmp_path: Path, bad: str) -> None:
    (tmp_path / "c.toml").write_text(f"max-attempts = {bad}\n")
    flags = ("--config", "c.toml", "--verify-cmd", "true")
    with child(tmp_path, "go", "--model", script(tmp_path, say("never said")), *flags) as run:
        assert run.finish() == 2


def test_a_file_cannot_name_a_command_to_run(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('verify-cmd = "touch ran"\n')
    with child(
        tmp_path, "go", "--model", script(tmp_path, say("Done.")), "--config", "c.toml"
    ) as run:
        assert run.finish() == 0
    assert not (tmp_path / "ran").exists()
    assert [n["code"] for n in run.all("notice")] == ["setting_passed_over"]
