"""The tool ``glob``: the paths that match a pattern, which is also how a folder is listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from turnwire.runner.core.ports import ToolContext, ToolOutcome, ToolSchema
from turnwire.runner.tools.builtin.paths import (
    Folders,
    PathRefused,
    Place,
    folder_at,
    sentence,
)
from turnwire.runner.tools.builtin.patterns import BadPattern, PathPattern, split_literal
from turnwire.runner.tools.builtin.tool import (
    READS,
    BuiltinTool,
    Cancelled,
    in_thread,
    object_schema,
)
from turnwire.runner.tools.builtin.walking import Found, walk
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["MOST_PATHS", "build"]

MOST_PATHS = 1_000
"""Paths that are given of one search."""

_NOTES_CHARS = 200

_DESCRIPTION = f"""Find files and folders by name. `**` stands for any folders, `*` for any part of a \
name, `{{a,b}}` for one of several: `**/*.py`, `src/*`. Paths come in order, folders with a slash at the \
end, at most {MOST_PATHS:,}. `.git` is left out; links are not followed."""

_SCHEMA = object_schema(
    {"pattern": {"type": "string", "minLength": 1, "description": "The pattern of the paths."}},
    {
        "path": {
            "type": "string",
            "description": "The folder to look in; default: the working folder.",
        }
    },
)


def build(settings: ToolSettings) -> BuiltinTool:
    """Make the tool."""
    folders = Folders(settings.cwd, settings.allow_paths)
    room = max(settings.max_result_chars - _NOTES_CHARS, settings.max_result_chars // 2)

    async def action(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        path, pattern = str(arguments.get("path", ".")), str(arguments["pattern"])
        return await in_thread(
            lambda cancelled: _glob(folders, path, pattern, room=room, cancelled=cancelled), context
        )

    return BuiltinTool(ToolSchema("glob", _DESCRIPTION, _SCHEMA), (READS,), action)


def _glob(folders: Folders, path: str, pattern: str, *, room: int, cancelled: Cancelled) -> str:
    literal, wild = split_literal(pattern)
    place = folders.locate(literal if literal.startswith("/") else f"{path}/{literal}")
    prefix = "" if place.shown == "." else f"{place.shown.rstrip('/')}/"
    try:
        with folder_at(place) as folder:
            found = walk(folder, PathPattern(wild), cancelled)
            return _listed((prefix + _shown(it) for it in found), room) or "Nothing matches."
    except BadPattern as error:
        raise PathRefused(str(error)) from error
    except OSError as error:
        raise PathRefused(_not_a_folder(error, place)) from error


def _not_a_folder(error: OSError, place: Place) -> str:
    if isinstance(error, NotADirectoryError):
        return f"{place.shown} is no folder."
    return sentence(error, place.shown)


def _shown(found: Found) -> str:
    return f"{found.path}/" if found.is_folder else found.path


def _listed(paths: Iterator[str], room: int) -> str:
    shown: list[str] = []
    for path in paths:
        room -= len(path) + 1
        if len(shown) == MOST_PATHS or room < 0:
            return "\n".join([*shown, f"[stopped after {len(shown):,} paths: narrow the pattern]"])
        shown.append(path)
    return "\n".join(shown)
