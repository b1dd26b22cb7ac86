"""The tool ``grep``: asks the search worker, which is ``searching``, and says what came of it."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from turnwire.runner.core.ports import ToolCallError, ToolContext, ToolEnd, ToolOutcome, ToolSchema
from turnwire.runner.tools.builtin.paths import Folders, PathRefused
from turnwire.runner.tools.builtin.searching import Request
from turnwire.runner.tools.builtin.tool import READS, BuiltinTool, object_schema
from turnwire.runner.tools.executors.output import Output
from turnwire.runner.tools.executors.process import Command, ProcessEnd, run_process
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["build"]

_SECONDS = 60
"""For one search, unless the turn has less: a pattern that takes longer goes round in circles."""

_NOTES_CHARS = 200
_MOST_CONTEXT = 20

_PACKAGES = os.path.abspath(os.path.join(__file__, *[os.pardir] * 5))
"""The folder that holds the package ``turnwire``."""

_START = f"""
import sys
sys.path.insert(0, {_PACKAGES!r})
from turnwire.runner.tools.builtin.searching import main
main()
"""

_DESCRIPTION = r"""Search the content of files, line by line, with a regular expression of Python: \
`\bdef \w+`, `TODO|FIXME`. Gives PATH:LINE:TEXT, in the order of paths; `output` `files` gives the paths \
alone, `count` the number of lines in each. Hidden and ignored files are searched too, `.git` is not; \
links are not followed."""

_SCHEMA = object_schema(
    {"pattern": {"type": "string", "minLength": 1, "description": "The regular expression."}},
    {
        "path": {
            "type": "string",
            "description": "The file or folder to search; default: the working folder.",
        },
        "glob": {
            "type": "string",
            "minLength": 1,
            "description": "Only files that match, such as *.py or src/**/*.{ts,tsx}.",
        },
        "ignore_case": {"type": "boolean"},
        "context": {
            "type": "integer",
            "minimum": 0,
            "maximum": _MOST_CONTEXT,
            "description": "Lines to show before and after each match.",
        },
        "output": {"enum": ["content", "files", "count"]},
    },
)


def build(settings: ToolSettings) -> BuiltinTool:
    """Make the tool; the folder of spilled results may be searched as well."""
    spills = (settings.spill_folder,) if settings.spill_folder else ()
    folders = Folders(settings.cwd, (*settings.allow_paths, *spills))

    async def action(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        limit = settings.max_result_chars
        request = _request(arguments, folders, max(limit - _NOTES_CHARS, limit // 2))
        return await _search(request, settings, context)

    return BuiltinTool(ToolSchema("grep", _DESCRIPTION, _SCHEMA), (READS,), action)


def _request(arguments: dict[str, Any], folders: Folders, room: int) -> Request:
    try:
        place = folders.locate(str(arguments.get("path", ".")))
    except PathRefused as refused:
        raise ToolCallError(str(refused)) from refused
    return Request(
        pattern=str(arguments["pattern"]),
        real=place.real,
        shown=place.shown,
        glob=str(arguments.get("glob", "**")),
        output=str(arguments.get("output", "content")),
        context=int(arguments.get("context", 0)),
        ignore_case=bool(arguments.get("ignore_case", False)),
        room=room,
    )


async def _search(request: Request, settings: ToolSettings, context: ToolContext) -> ToolOutcome:
    seconds = min(_SECONDS, context.deadline_seconds or _SECONDS)
    output = Output(settings.max_result_chars, folder=None, call=context.call, tell=lambda _: None)

    def stopped(end: ProcessEnd) -> None:
        how = ToolEnd.CANCELLED if end.group is None else ToolEnd.LEFT_BEHIND
        context.stopped(ToolOutcome("The search was stopped.", is_error=True, end=how))

    try:
        end = await run_process(_command(request, settings, seconds), output, stopped=stopped)
    except (OSError, ValueError) as error:
        raise ToolCallError(f"The search could not be started: {error}.") from error
    return _outcome(end, output.text(), seconds)


def _command(request: Request, settings: ToolSettings, seconds: float) -> Command:
    python = (sys.executable, "-I", "-S", "-X", "utf8", "-W", "ignore", "-c", _START)
    return Command((*python, json.dumps(request)), settings.cwd, settings.environment, seconds)


def _outcome(end: ProcessEnd, text: str, seconds: float) -> ToolOutcome:
    if end.timed_out:
        raise ToolCallError(
            f"The search took longer than {seconds:g} seconds and was stopped: use a simpler pattern, "
            "or a narrower path or glob."
        )
    if end.code == 2:
        raise ToolCallError(text)
    if end.code != 0:
        raise ToolCallError(f"The search failed (exit code {end.code}): {text[-500:]}")
    return ToolOutcome(text)
