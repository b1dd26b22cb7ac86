"""The hosts of spec/hosts, each a page of another language, against the real child."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOSTS = Path(__file__).parents[2] / "spec" / "hosts"
NEEDS = {"host.sh": ["bash", "jq"], "host.mjs": ["node"], "host.py": [sys.executable]}
STARTERS = {"host.sh": "bash", "host.mjs": "node", "host.py": sys.executable}

LONG = "ä\u2028" * 40_000
"""More than a line may hold, unless the host asks for no limit."""


@pytest.fixture(params=sorted(NEEDS))
def host(request: pytest.FixtureRequest) -> str:
    missing = [name for name in NEEDS[request.param] if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{request.param} needs {' and '.join(missing)}")
    return str(request.param)


def run(host: str, folder: Path, *replies: object) -> subprocess.CompletedProcess[str]:
    script = folder / "script.jsonl"
    script.write_text("\n".join(json.dumps(reply) for reply in replies))
    flags = ["--model", f"scripted:{script}", "--tools", "write", "--no-session"]
    return subprocess.run(
        [STARTERS[host], str(HOSTS / host), "Write it.", *flags],
        capture_output=True,
        text=True,
        env={**os.environ, "TURNWIRE": f"{sys.executable} -m turnwire"},
        cwd=folder,
        timeout=50,
        check=False,
    )


def test_P1_a_host_shows_the_card_accepts_and_ends(host: str, tmp_path: Path) -> None:
    call = {"name": "write", "arguments": {"path": "a.txt", "content": LONG}}
    first = {"text": "Writing ‘a.txt’ … ", "delta_chars": 9000, "calls": [call]}
    ended = run(host, tmp_path, first, {"text": "Done.\n"})
    assert (ended.stdout, ended.returncode) == ("Writing ‘a.txt’ … Done.\n", 0)
    assert "Allow write to run?\nTool: write" in ended.stderr
    assert (tmp_path / "a.txt").read_text() == LONG


def test_a_host_ends_with_the_exit_code_of_its_child(host: str, tmp_path: Path) -> None:
    fault = {"code": "unauthorized", "message": "The key is wrong."}
    ended = run(host, tmp_path, {"text": "Hm", "fault": fault})
    assert (ended.stdout, ended.returncode) == ("Hm", 3)


def test_a_host_is_about_ten_lines(host: str) -> None:
    lines = (HOSTS / host).read_text().splitlines()
    aside = ("#", "//", '"""', "import ", "}", "esac")
    assert len([line for line in lines if line.strip() and not line.startswith(aside)]) <= 15
