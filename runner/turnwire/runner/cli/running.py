"""``turnwire run`` up to the first line, and the lines of a run that cannot start.

Owns the order: flags, descriptors, ``hello``; only then is the rest of the program loaded.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import pairwise
from typing import NoReturn

import click

from turnwire.runner.channel.descriptors import DescriptorError, Descriptors, write_whole
from turnwire.runner.channel.hello import DEFAULT_LIMITS, hello_line
from turnwire.runner.channel.signals import StopSignals
from turnwire.runner.cli.options import HelpWanted, run_command, settings_of
from turnwire.runner.session.place import new_session_id
from turnwire.runner.settings import RunSettings

__all__ = ["run"]

_HELLO_SECONDS = 300.0
"""How long the first line may wait for its reader (``limits.host_stall_seconds``)."""


def run(arguments: list[str], descriptors: Descriptors, signals: StopSignals) -> NoReturn:
    """Run a child from its flags to its exit."""
    try:
        cwd = _working_folder()
        settings = _settings(arguments)
        prompt_fd = descriptors.take_stdin() if settings.prompt == "-" else None
        answers_fd = _answers(settings, descriptors)
    except HelpWanted as wanted:
        _write(descriptors, f"{wanted.text}\n".encode())
        _leave(0)
    except (click.UsageError, DescriptorError) as error:
        _refuse(arguments, descriptors, error)
    if prompt_fd is None and not settings.answers_stdin:
        descriptors.release_stdin()
    at = time.time_ns() // 1_000_000
    session = new_session_id(at, os.urandom(8))
    hello = _hello(settings, cwd, session, at)
    if settings.format == "jsonl":
        _write(descriptors, hello)
    # All of this is slow to import; the host has its first line by now.
    import anyio  # noqa: PLC0415

    from turnwire.runner.wiring.child import Started, run_child  # noqa: PLC0415

    started = Started(
        settings=settings,
        cwd=cwd,
        descriptors=descriptors,
        signals=signals,
        prompt_fd=prompt_fd,
        answers_fd=answers_fd,
        session=session,
        hello=hello,
    )
    anyio.run(run_child, started, _leave)
    _leave(70)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise click.UsageError("the working folder is gone") from None


def _settings(arguments: list[str]) -> RunSettings:
    context = run_command.make_context("turnwire run", arguments)
    with context:
        return settings_of(context, dict(context.params))


def _answers(settings: RunSettings, descriptors: Descriptors) -> int | None:
    if settings.answers_stdin:
        return descriptors.take_stdin()
    return None if settings.answers_fd is None else descriptors.take_answers(settings.answers_fd)


def _hello(settings: RunSettings, cwd: str, session: str, at: int) -> bytes:
    return hello_line(
        seq=1,
        at=at,
        session=session,
        resumed=False,
        answers=settings.answers,
        on_unanswered="deny",
        approval=settings.approval,
        limits={
            **DEFAULT_LIMITS,
            "line_bytes": settings.max_line_bytes,
            "host_stall_seconds": settings.host_stall_seconds,
        },
        cwd=cwd,
    )


def _refuse(arguments: list[str], descriptors: Descriptors, error: Exception) -> NoReturn:
    """Say in two lines, and on stderr, why there is no run."""
    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    sys.stderr.write(f"turnwire: {message}\n")
    # Nothing of this is needed by a run that starts.
    from turnwire.runner.cli.refusing import refusal_lines  # noqa: PLC0415

    if "text" not in _formats(arguments):
        _write(descriptors, refusal_lines(message))
    descriptors.drain_stderr(0.5)
    _leave(2)


def _formats(arguments: list[str]) -> list[str]:
    """What the unusable flags say of ``--format``, so that no protocol line lands in a person's shell."""
    pairs = pairwise(arguments)
    spelt = [a.removeprefix("--format=") for a in arguments if a.startswith("--format=")]
    return spelt + [value for flag, value in pairs if flag == "--format"]


def _write(descriptors: Descriptors, data: bytes) -> None:
    """Write before there is a loop. A reader that is gone is noticed by the run itself."""
    if descriptors.events is not None:
        try:
            write_whole(descriptors.events, data, _HELLO_SECONDS)
        except OSError:
            return


def _leave(code: int) -> NoReturn:
    """Leave at once: no thread of a tool may hold the exit."""
    os._exit(code)
