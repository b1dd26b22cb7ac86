"""The first line does not wait for what is slow to import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.child import say, script

SLOW = {
    "msgspec",
    "asyncio",
    "httpx",
    "httpcore",
    "jsonschema_rs",
    "platformdirs",
    "tomllib",
    "ssl",
    "json",
}


def imports_of(folder: Path, *flags: str) -> list[str]:
    """The modules that a whole run imports, in the order in which they were ready."""
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "turnwire",
        "run",
        "go",
        "--no-session",
        *flags,
    ]
    # Where the tests are measured, a child would import the measuring too.
    env = {name: text for name, text in os.environ.items() if not name.startswith("COVERAGE_")}
    run = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=30, check=True)
    lines = run.stderr.decode().splitlines()
    return [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]


def test_nothing_slow_is_imported_before_hello(tmp_path: Path) -> None:
    imported = imports_of(tmp_path, "--model", script(tmp_path, say("ok")))
    # `running` writes the line when it is loaded; the first thing that it then asks for is anyio.
    ready = imported.index("turnwire.runner.cli.running")
    before = {name.partition(".")[0] for name in imported[:ready]}
    assert "click" in before
    assert before & SLOW == set()
    assert not {name for name in imported[:ready] if name.startswith("turnwire.protocol.events")}
    assert imported[ready + 1].startswith("anyio")


def test_a_model_without_a_network_imports_no_http(tmp_path: Path) -> None:
    imported = imports_of(tmp_path, "--model", script(tmp_path, say("ok")))
    assert not {"httpx", "jsonschema_rs", "rich", "turnwire.hosts"} & set(imported)
