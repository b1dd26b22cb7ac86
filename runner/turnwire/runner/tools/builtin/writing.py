"""The tool ``write``: a whole text file, made or replaced. How it comes into its place is
``replacing``'s.
"""

from __future__ import annotations

from typing import Any

from turnwire.runner.core.ports import ToolContext, ToolOutcome, ToolSchema
from turnwire.runner.tools.builtin.paths import Folders, PathRefused, sentence
from turnwire.runner.tools.builtin.replacing import replace_file
from turnwire.runner.tools.builtin.tool import (
    WRITES,
    BuiltinTool,
    Cancelled,
    in_thread,
    object_schema,
)
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["build"]

_DESCRIPTION = """Create a text file, or replace all of an existing one, with exactly `content` in \
UTF-8. Missing folders are made. To change part of a file use edit."""

_SCHEMA = object_schema(
    {
        "path": {"type": "string", "description": "The file, relative to the working folder."},
        "content": {"type": "string", "description": "All of the file's text."},
    },
    {},
)


def build(settings: ToolSettings) -> BuiltinTool:
    """Make the tool."""
    folders = Folders(settings.cwd, settings.allow_paths)

    async def action(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        path, content = str(arguments["path"]), str(arguments["content"])
        return await in_thread(lambda cancelled: _write(folders, path, content, cancelled), context)

    return BuiltinTool(ToolSchema("write", _DESCRIPTION, _SCHEMA), (WRITES,), action)


def _write(folders: Folders, path: str, content: str, cancelled: Cancelled) -> str:
    place = folders.locate(path)
    if path.endswith("/"):
        raise PathRefused(f"{path} names a folder, not a file.")
    try:
        data = content.encode()
        if cancelled():
            return "Stopped before anything was written."
        existed = replace_file(place, data)
    except UnicodeEncodeError as error:
        raise PathRefused(
            "content has half of a surrogate pair, which no file can hold."
        ) from error
    except OSError as error:
        raise PathRefused(sentence(error, place.shown)) from error
    lines = content.count("\n") + (not content.endswith("\n") and bool(content))
    verb = "Replaced" if existed else "Created"
    return f"{verb} {place.shown}: {lines:,} lines, {len(data):,} bytes."
