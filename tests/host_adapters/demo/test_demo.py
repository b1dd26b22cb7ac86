"""The demo from outside: a real child, a folder that is gone afterwards, a person at a terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DEMO = [sys.executable, "-m", "turnwire", "demo"]
AT_TERMINAL = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, if the tests run in the background
os.close(os.open(os.ttyname(0), os.O_RDWR))  # makes it the controlling one
from turnwire.hosts.demo import main
sys.exit(main(yes=False, reading_seconds=0))
"""
QUESTION = b"? y: allow"


def run(*flags: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the demo where there is no terminal."""
    return subprocess.run(
        [*DEMO, *flags],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "TMPDIR": str(folder), **environment},
        timeout=50,
        check=False,
    )


def test_P1_yes_lets_the_file_be_written(tmp_path: Path) -> None:
    ended = run("--yes", folder=tmp_path)
    told = ended.stdout.decode()
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "done, exit code 0" in told
    assert "✓ write done" in told
    assert "- [ ] fetch the sail, by Friday (Tuesday)" in told.split("tasks.md now says:")[1]
    assert "\x1b" not in told
    assert list(tmp_path.iterdir()) == []


def test_P6_without_a_terminal_the_write_is_refused(tmp_path: Path) -> None:
    ended = run(folder=tmp_path)
    told = ended.stdout.decode()
    assert (ended.returncode, ended.stderr) == (4, b"")
    assert "This is no terminal, so nobody can be asked" in told
    assert "✗ write denied  by no_answerer" in told
    assert "tasks.md was not written." in told


def test_a_terminal_without_unicode_is_served(tmp_path: Path) -> None:
    ended = run("--yes", folder=tmp_path, PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"+ write done" in ended.stdout


class Terminal:
    """A demo with a person before it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.screen, self.side = pty.openpty()
        self.mode = termios.tcgetattr(self.side)
        self.told = b""
        self.demo = subprocess.Popen(
            [sys.executable, "-c", AT_TERMINAL],
            stdin=self.side,
            stdout=self.side,
            stderr=self.side,
            env={**os.environ, "TMPDIR": str(folder), **environment},
            start_new_session=True,
        )

    def until(self, wanted: bytes) -> None:
        """Read the screen until ``wanted`` is on it."""
        while wanted not in self.told:
            ready, _, _ = select.select([self.screen], [], [], 20)
            assert ready, self.told
            self.told += os.read(self.screen, 65_536)

    def types(self, keys: bytes) -> None:
        os.write(self.screen, keys)

    def exit_code(self) -> int:
        """Wait for the end; the terminal is as it was."""
        code = self.demo.wait(20)
        assert termios.tcgetattr(self.side)[3] == self.mode[3]
        return code

    def close(self) -> None:
        self.demo.kill()
        self.demo.wait()
        os.close(self.screen)
        os.close(self.side)


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    person = Terminal(tmp_path, **getattr(request, "param", {}))
    yield person
    person.close()


def test_a_person_who_says_yes_gets_the_file(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(QUESTION)
    terminal.types(b"xY")
    terminal.until(b"tasks.md now says:")
    terminal.until(b"Next:")
    assert terminal.exit_code() == 0
    assert b"closed  accept, by human" in terminal.told
    assert b"\x1b[32m" in terminal.told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keys", [b"n", b"\x04"])
def test_P8_a_person_who_says_no_is_obeyed(terminal: Terminal, keys: bytes) -> None:
    terminal.until(QUESTION)
    terminal.types(keys)
    terminal.until(b"Next:")
    assert terminal.exit_code() == 0
    assert b"closed  decline, by human" in terminal.told
    assert b"tasks.md was not written." in terminal.told


def test_a_key_typed_before_the_question_is_no_answer(terminal: Terminal) -> None:
    terminal.types(b"yyy")
    terminal.until(QUESTION)
    terminal.types(b"n")
    terminal.until(b"Next:")
    assert b"closed  decline, by human" in terminal.told


def test_interrupting_the_question_leaves_nothing(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until(QUESTION)
    terminal.types(b"\x03")
    terminal.until(b"Interrupted.")
    assert terminal.exit_code() == 130
    assert b"Traceback" not in terminal.told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("terminal", [{"NO_COLOR": "1"}], indirect=True)
def test_no_color_means_no_colour(terminal: Terminal) -> None:
    terminal.until(QUESTION)
    terminal.types(b"n")
    terminal.until(b"Next:")
    assert b"\x1b" not in terminal.told


def test_a_reader_that_leaves_ends_the_demo(tmp_path: Path) -> None:
    environment: dict[str, Any] = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [*DEMO, "--yes"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()
        demo.stdout.close()
        assert demo.wait(20) not in (0, -signal.SIGKILL)
    assert list(tmp_path.iterdir()) == []
