"""The tool ``bash``: one command of a shell.

Owns what a command finds around it and in which words its end is told. How it is run, bounded and
ended is ``executors.process``'s.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from typing import Any

from turnwire.runner.core.ports import (
    Entitlement,
    ToolCallError,
    ToolContext,
    ToolEnd,
    ToolOutcome,
    ToolSchema,
)
from turnwire.runner.tools.builtin.tool import BuiltinTool, object_schema
from turnwire.runner.tools.executors.output import Output
from turnwire.runner.tools.executors.process import Command, ProcessEnd, run_process
from turnwire.runner.tools.results import NOTHING
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["build"]

_REACH = (
    Entitlement("code-execution:shell", reason="runs shell commands"),
    Entitlement("filesystem", reason="a command may read and write files", optional=True),
    Entitlement("network", reason="a command may use the network", optional=True),
)

_NO_EDITOR = (
    "sh -c 'echo No editor, for there is no terminal: give the text on the command line. >&2; "
    "exit 1'"
)

_NO_TERMINAL = {
    # Programs that would open an editor fail, rather than go on as if it had been used.
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": _NO_EDITOR,
    "GIT_SEQUENCE_EDITOR": _NO_EDITOR,
    # Those that would ask for a password fail, rather than ask.
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    # Those that would show a page at a time show everything.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "TERM": "dumb",
}

_NOTES_CHARS = 600
"""Kept free for what is said of the end."""

_DESCRIPTION = """Run a command in bash, in the working folder, each call in a new shell. Gives what it \
printed, stdout and stderr together, and its exit code if that is not 0. There is no terminal and no \
input: programs that ask fail. It is stopped after `timeout_seconds` (default {timeout:g}). To leave a \
process running, redirect its output: `server >log 2>&1 &`."""

_SCHEMA = object_schema(
    {"command": {"type": "string", "minLength": 1, "description": "The command."}},
    {
        "timeout_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 86_400},
        "description": {
            "type": "string",
            "description": "What the command is for, in a few words, for the person who watches.",
        },
    },
)


def build(settings: ToolSettings) -> BuiltinTool:
    """Make the tool."""

    async def action(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        seconds = float(arguments.get("timeout_seconds", settings.bash_timeout_seconds))
        if context.deadline_seconds is not None:
            seconds = min(seconds, context.deadline_seconds)
        return await _run(str(arguments["command"]), seconds, settings, context)

    description = _DESCRIPTION.format(timeout=settings.bash_timeout_seconds)
    return BuiltinTool(ToolSchema("bash", description, _SCHEMA), _REACH, action)


async def _run(
    script: str, seconds: float, settings: ToolSettings, context: ToolContext
) -> ToolOutcome:
    limit = settings.max_result_chars
    output = Output(
        max(limit - _NOTES_CHARS, limit // 2),
        folder=settings.spill_folder,
        call=context.call,
        tell=context.output,
    )

    def stopped(end: ProcessEnd) -> None:
        context.stopped(_cancelled(output, end))

    try:
        end = await run_process(_command(script, seconds, settings), output, stopped=stopped)
    except (OSError, ValueError) as error:
        raise ToolCallError(f"The command could not be started: {error}.") from error
    return _outcome(
        output, [*_end(end, seconds), *_left(end)], is_error=end.timed_out or end.code != 0
    )


def _command(script: str, seconds: float, settings: ToolSettings) -> Command:
    environment = {**settings.environment, **_NO_TERMINAL}
    return Command((_shell(environment), "-c", script), settings.cwd, environment, seconds)


def _shell(environment: Mapping[str, str]) -> str:
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, "bash")
        if os.path.isabs(path) and os.access(path, os.X_OK):
            return path
    return "/bin/sh"


# --- what is said of the end ----------------------------------------------------------------------


def _cancelled(output: Output, end: ProcessEnd) -> ToolOutcome:
    how = ToolEnd.CANCELLED if end.group is None and not end.detached else ToolEnd.LEFT_BEHIND
    notes = ["[stopped before it was finished]", *_left(end)]
    return _outcome(output, notes, is_error=True, end=how)


def _outcome(
    output: Output, notes: list[str], *, is_error: bool, end: ToolEnd = ToolEnd.DONE
) -> ToolOutcome:
    if output.is_binary or output.is_lossy:
        what = "binary" if output.is_binary else "not all UTF-8"
        notes.append(f"[the output is {what}; what could not be decoded is shown as U+FFFD]")
    text = output.text()
    if notes:
        line_end = "" if text.endswith("\n") else "\n"
        text = f"{text or NOTHING}{line_end}" + "\n".join(notes)
    chars = output.chars if output.is_cut else None
    return ToolOutcome(text, is_error=is_error, end=end, chars=chars, spill=output.spill)


def _end(end: ProcessEnd, seconds: float) -> Iterator[str]:
    if end.timed_out:
        yield f"[stopped: it took longer than {seconds:g} seconds]"
    elif end.code is not None and end.code < 0:
        yield f"[ended by {_signal_name(-end.code)}]"
    elif end.code:
        yield f"[exit code {end.code}]"


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _left(end: ProcessEnd) -> Iterator[str]:
    if end.group is not None:
        state = "could not be ended and" if end.timed_out else "was left in the background and"
        yield f"[a process {state} is still running; its process group is {end.group}]"
    elif end.detached:
        yield "[a process may still be running: one that detached itself holds the output open]"
