"""What stands on stdout, whatever tools do: events, whole lines, within the limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.child import call, child, is_alive, say, script

NOISY = '''
import os, subprocess, sys
print("on import")

def noise() -> str:
    """Make noise."""
    print("x")
    sys.stdout.write("no newline")
    os.write(1, b"y")
    os.system("echo z")
    subprocess.run(["echo", "w"])
    os.system("setsid sleep 60 & echo $! > daemon")
    return "quiet"
'''


def test_B10_B11_E22_noise_never_reaches_the_events(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    model = script(tmp_path, call(("noise", {})), say("done"))
    with child(tmp_path, "go", "--model", model, "--tools", "py:noisy:noise") as run:
        # The daemon lives on; the host sees the end of both streams all the same.
        assert run.finish() == 0
        assert run.process.stderr is not None
        printed = run.process.stderr.read()
    assert is_alive(int((tmp_path / "daemon").read_text()))
    subprocess.run(["kill", (tmp_path / "daemon").read_text().strip()], check=True)
    assert run.events[-1]["type"] == "end"
    for word in (b"on import", b"x", b"no newline", b"y", b"z", b"w"):
        assert word in printed


@pytest.mark.parametrize("size", [70_000, 65_535, 65_536, 65_537, 1_200_000])
def test_B01_B02_no_line_is_longer_than_the_limit(tmp_path: Path, size: int) -> None:
    (tmp_path / "big.py").write_text(f"def big() -> str:\n    return '\\x01' * {size // 6}\n")
    model = script(tmp_path, call(("big", {})), say("done"))
    flags = ("--tools", "py:big:big", "--max-result-chars", "2000000")
    with child(tmp_path, "go", "--model", model, *flags) as run:
        assert run.finish() == 0
    assert max(len(line) + 1 for line in run.raw.splitlines()) <= 65_536
    joined = "".join(part["data"] for part in run.all("part"))
    if joined:
        assert joined.count("\\\\u0001") == 0 and joined.count("\\u0001") >= size // 6


def test_B04_separators_are_escaped_on_every_line(tmp_path: Path) -> None:
    odd = "a\u2028b\u2029c\u0085d\x0b\x0c\x1ce"
    (tmp_path / "odd.py").write_text(
        f"def odd(text: str) -> str:\n    return text + {odd!r}\n\n"
        f"def bad() -> str:\n    raise ValueError({odd!r})\n"
    )
    model = script(tmp_path, call(("odd", {"text": odd}), ("bad", {})), say(odd, delta_chars=2))
    with child(tmp_path, odd, "--model", model, "--tools", "py:odd:odd,py:odd:bad") as run:
        assert run.finish() == 0
    assert len(run.raw.decode().splitlines()) == len(run.events)
    texts = [e["text"] for e in run.all("delta") if e["port"] == "text"]
    assert "".join(texts) == odd


def test_B07_bad_bytes_of_the_command_line_become_one_sign(tmp_path: Path) -> None:
    model = script(tmp_path, say("ok"))
    command = [
        sys.executable,
        "-m",
        "turnwire",
        "run",
        b"a\x96\xffb",
        "--model",
        model,
        "--no-session",
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=30, check=False)
    events = [json.loads(line) for line in run.stdout.decode().splitlines()]
    [user] = [e for e in events if e["type"] == "message" and e["message"]["role"] == "user"]
    assert user["message"]["content"][0]["text"] == "a\ufffd\ufffdb"
    assert run.returncode == 0


def test_B23_a_host_that_never_reads_stderr_loses_no_event(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "import sys\ndef loud() -> str:\n    sys.stderr.write('e' * 300_000)\n    return 'ok'\n"
    )
    model = script(tmp_path, call(("loud", {})), say("done"))
    with child(tmp_path, "go", "--model", model, "--tools", "py:loud:loud") as run:
        assert run.finish() == 0
    assert run.events[-1]["status"] == "done"


def test_closed_stdout_is_a_host_that_is_gone(tmp_path: Path) -> None:
    model = script(tmp_path, say("ok"))
    command = f"exec {sys.executable} -m turnwire run go --model {model} --session-dir s >&-"
    run = subprocess.run(["bash", "-c", command], cwd=tmp_path, timeout=30, check=False)
    assert run.returncode == 74
    [log] = (tmp_path / "s").glob("*/events.jsonl")
    assert b'"host_gone"' in log.read_bytes().splitlines()[-1]


def test_stdin_that_stays_open_is_never_read(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with child(tmp_path, "go", "--model", script(tmp_path, say("ok")), stdin=reader) as run:
        assert run.finish() == 0
    os.close(reader)
    os.close(writer)


def test_B1_a_long_result_is_spilled_and_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_text(
        "def big() -> str:\n    return 'word\\n' * 20_000 + 'the end'\n"
    )
    (tmp_path / "tmp").mkdir()
    model = script(tmp_path, call(("big", {})), say("ok"))
    flags = ("--tools", "py:big:big", "--no-session")
    variables = {"TMPDIR": str(tmp_path / "tmp")}
    with child(tmp_path, "go", "--model", model, *flags, environment=variables) as run:
        assert run.finish() == 0
    [result] = [row["result"] for row in run.all("row") if "result" in row]
    assert result["truncated"] and result["chars"] == 100_007
    assert result["spill"].startswith(str(tmp_path / "tmp"))
    assert list((tmp_path / "tmp").iterdir()) == []
