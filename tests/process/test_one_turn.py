"""One turn over a real child: read, ask, answer, result, end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.child import call, child, say, script

WRITE = call(("write", {"path": "a.txt", "content": "hello\n"}))
TOOLS = ("--tools", "write")


@pytest.mark.parametrize("answers", ["fd", "stdin"])
def test_P1_an_accepted_call_runs_and_is_told(tmp_path: Path, answers: str) -> None:
    model = script(tmp_path, WRITE, say("written", expect={"last_result_contains": "a.txt"}))
    with child(tmp_path, "go", "--model", model, *TOOLS, answers=answers) as run:
        asked = run.until("human_request")
        assert not (tmp_path / "a.txt").exists()
        run.send(type="answer", id=asked["id"], action="accept")
        assert run.finish() == 0
    assert (tmp_path / "a.txt").read_text() == "hello\n"
    assert [e["status"] for e in run.all("row") if e["id"] == asked["row"]] == [
        "pending",
        "waiting",
        "running",
        "done",
    ]
    assert run.events[-1]["type"] == "end" and run.events[-1]["status"] == "done"


def test_P6_C01_without_answers_the_call_is_refused(tmp_path: Path) -> None:
    model = script(tmp_path, WRITE, say("sorry", expect={"last_result_contains": "denied"}))
    with child(tmp_path, "go", "--model", model, *TOOLS) as run:
        assert run.finish() == 4
    assert not (tmp_path / "a.txt").exists()
    assert run.all("human_closed")[0]["by"] == "no_answerer"
    assert run.events[-1]["status"] == "done"


def test_P5_approval_never_runs_without_a_question(tmp_path: Path) -> None:
    model = script(tmp_path, WRITE, say("written"))
    with child(tmp_path, "go", "--model", model, *TOOLS, "--approval", "never") as run:
        assert run.finish() == 0
    assert (tmp_path / "a.txt").exists() and not run.all("human_request")
    assert run.events[0]["approval"] == "never"


def test_P7_a_declined_call_tells_the_model_why(tmp_path: Path) -> None:
    model = script(tmp_path, WRITE, say("ok", expect={"last_result_contains": "not today"}))
    with child(tmp_path, "go", "--model", model, *TOOLS, answers="fd") as run:
        asked = run.until("human_request")
        run.send(type="answer", id=asked["id"], action="decline", reason="not today")
        assert run.finish() == 0
    assert not (tmp_path / "a.txt").exists()
    assert run.events[-1]["denials"] == 1


def test_T1_T9_S2_the_log_holds_what_stdout_told(tmp_path: Path) -> None:
    model = script(tmp_path, call(("glob", {"pattern": "*"})), say("done", delta_chars=1))
    flags = ("--tools", "glob", "--no-ask", "glob")
    with child(tmp_path, "go", "--model", model, *flags) as run:
        assert run.finish() == 0
    settled = [event for event in run.events if event["type"] != "delta"]
    [log] = (tmp_path / "sessions").glob("*/events.jsonl")
    assert [json.loads(line) for line in log.read_bytes().splitlines()] == settled
    assert [event["seq"] for event in settled] == list(range(1, len(settled) + 1))
    roles = [event["message"]["role"] for event in run.all("message")]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert "".join(e["text"] for e in run.all("delta") if e["port"] == "text") == "done"


def test_B13_a_failing_provider_is_no_success(tmp_path: Path) -> None:
    model = script(tmp_path, {"fault": {"code": "unauthorized", "message": "no such key"}})
    with child(tmp_path, "go", "--model", model) as run:
        assert run.finish() == 3
    assert run.events[-1]["error"]["code"] == "unauthorized"
    with child(tmp_path, "go", "--model", model, "--format", "text") as run:
        assert run.process.wait(30) == 3
        assert run.process.stdout is not None and run.process.stderr is not None
        assert run.process.stdout.read() == b""
        assert b"no such key" in run.process.stderr.read()


def test_text_format_prints_the_answer_alone(tmp_path: Path) -> None:
    with child(
        tmp_path, "go", "--model", script(tmp_path, say("forty-two")), "--format", "text"
    ) as run:
        assert run.process.wait(30) == 0
        assert run.process.stdout is not None
        assert run.process.stdout.read() == b"forty-two\n"
