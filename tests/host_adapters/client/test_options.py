"""The command line that a host's wishes make."""

from __future__ import annotations

import sys

import pytest

from turnwire.hosts.client import Options
from turnwire.protocol.events import Answers


def test_everything_that_is_set_is_on_the_line() -> None:
    options = Options(
        prompt="hello",
        model="scripted:x",
        tools=("read", "bash"),
        flags=("--max-rounds", "3"),
        command=("turnwire", "run"),
        deltas=False,
    )
    assert options.command_line(7) == [
        "turnwire",
        "run",
        "--model",
        "scripted:x",
        "--tools",
        "read,bash",
        "--no-deltas",
        "--max-rounds",
        "3",
        "--answers-fd",
        "7",
        "--prompt",
        "-",
    ]


def test_a_prompt_is_no_flag_where_stdin_carries_answers() -> None:
    options = Options(prompt="--help", command=("turnwire",), answers=Answers.STDIN)
    assert options.command_line(None) == ["turnwire", "--answers-stdin", "--", "--help"]


@pytest.mark.parametrize("answers", list(Answers))
def test_nothing_is_said_that_was_not_asked_for(answers: Answers) -> None:
    flags = {"fd": ["--answers-fd", "3"], "stdin": ["--answers-stdin"], "none": []}[answers]
    options = Options(command=("turnwire",), answers=answers)
    assert options.command_line(3 if answers is Answers.FD else None) == ["turnwire", *flags]


def test_the_working_folder_is_kept_off_the_module_path() -> None:
    assert Options().command[:3] == (sys.executable, "-P", "-m")
