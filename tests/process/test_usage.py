"""What cannot start says so in one sentence, with the right exit code, and still ends in `end`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.child import child, say, script


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["go", "--model", "nonsense:x"], 2, "nonsense"),
        (["go", "--model", "scripted:none.jsonl"], 2, "none.jsonl"),
        (["go", "--model", "scripted:ok.jsonl", "--tools", "hammer"], 2, "hammer"),
        (["go", "--model", "scripted:ok.jsonl", "--tools", "py:nowhere:f"], 2, "nowhere"),
        (["go", "--model", "scripted:ok.jsonl", "--ask", "bash"], 2, "bash"),
        (["go", "--model", "scripted:ok.jsonl", "--max-rounds", "-1"], 2, "-1"),
        (["go", "--model", "scripted:ok.jsonl", "--max-rounds", "1.5"], 2, "1.5"),
        (["go", "--model", "scripted:ok.jsonl", "--max-identical-calls", "0"], 2, "at least 1"),
        (["go", "--model", "scripted:ok.jsonl", "--answers-fd", "77"], 2, "77"),
        (["go", "--model", "scripted:ok.jsonl", "--answers-fd", "2"], 2, "2"),
        (["go", "--model", "scripted:ok.jsonl", "--protocol", "2"], 2, "protocol"),
        (["--chat", "--model", "scripted:ok.jsonl"], 2, "--chat"),
        (["--model", "scripted:ok.jsonl"], 2, "prompt"),
        (["  ", "--model", "scripted:ok.jsonl"], 2, "prompt"),
        (["go", "--prompt", "stop"], 2, "prompt"),
        (["go", "--model", "openai:gpt-5"], 3, "OPENAI_API_KEY"),
        (["go", "--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1"], 3, "127.0.0.1"),
        (["go", "--model", "openai:x", "--base-url", "http://example.com/v1"], 2, "http"),
        (["--no-such-flag"], 2, "--no-such-flag"),
    ],
)
def test_bad_input_has_a_sentence_and_a_code(
    tmp_path: Path, flags: list[str], code: int, words: str
) -> None:
    script(tmp_path, say("ok"))
    (tmp_path / "replies.jsonl").rename(tmp_path / "ok.jsonl")
    with child(tmp_path, *flags, environment={"OPENAI_API_KEY": ""}) as run:
        assert run.finish() == code
    assert [run.events[0]["type"], run.events[-1]["type"]] == ["hello", "end"]
    end = run.events[-1]
    assert end["exit_code"] == code and end["status"] == "error"
    assert words in end["error"]["message"] and "\n" not in end["error"]["message"]


def test_a_file_cannot_widen_what_may_run(tmp_path: Path) -> None:
    (tmp_path / "turnwire.toml").write_text(
        'approval = "never"\nno-ask = ["bash"]\ntools = ["bash"]\nmax-rounds = 7\n'
    )
    flags = ("--config", "turnwire.toml", "--model", script(tmp_path, say("ok")))
    with child(tmp_path, "go", *flags) as run:
        assert run.finish() == 0
    assert run.events[0]["approval"] == "ask"
    ready = run.all("ready")[0]
    assert ready["budget"]["max_rounds"] == 7
    assert ready["tools"][0]["name"] == "bash" and ready["tools"][0]["asks"] is True
    assert len([n for n in run.all("notice") if n["code"] == "setting_passed_over"]) == 2


def test_R12_no_tools_unless_they_are_named(tmp_path: Path) -> None:
    with child(tmp_path, "go", "--model", script(tmp_path, say("ok"))) as run:
        assert run.finish() == 0
    assert run.all("ready")[0]["tools"] == []


def test_a_functions_file_tool_named_by_a_file_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("def tool() -> str:\n    return 'ok'\n")
    (tmp_path / "c.toml").write_text('tools = "py:tool:tool"\n')
    model = script(tmp_path, say("ok"))
    with child(tmp_path, "go", "--config", "c.toml", "--model", model) as run:
        assert run.finish() == 0
    assert run.all("ready")[0]["tools"][0]["asks"] is True


def test_the_prompt_is_read_from_stdin(tmp_path: Path) -> None:
    model = script(tmp_path, say("ok", expect={"last_user_contains": "from the pipe"}))
    command = [sys.executable, "-m", "turnwire", "run", "--prompt", "-", "--model", model]
    run = subprocess.run(
        [*command, "--no-session"],
        cwd=tmp_path,
        input=b"from the pipe",
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert json.loads(run.stdout.splitlines()[-1])["status"] == "done"


def test_help_goes_to_stdout_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "turnwire", "run", "--help"]
    run = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert run.returncode == 0 and b"--answers-fd" in run.stdout and run.stderr == b""
