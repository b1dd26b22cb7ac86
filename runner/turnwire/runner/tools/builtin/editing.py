"""The tool ``edit``: one passage of a text file for another.

Owns what counts as the passage: exactly the given text, save that a line end is a line end. What is
not replaced stays as it was to the byte: encoding, byte order mark, line ends, mode.
"""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from turnwire.runner.core.ports import ToolContext, ToolOutcome, ToolSchema
from turnwire.runner.tools.builtin.encodings import LARGEST_WHOLE, Encoding, encoding_of, is_binary
from turnwire.runner.tools.builtin.paths import Folders, PathRefused, Place, open_file, sentence
from turnwire.runner.tools.builtin.replacing import replace_file
from turnwire.runner.tools.builtin.tool import (
    READS,
    WRITES,
    BuiltinTool,
    Cancelled,
    in_thread,
    object_schema,
)
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["build"]

_DESCRIPTION = """Replace exactly `old_string` by `new_string` in a text file. `old_string` must occur \
once, so give enough of its surroundings, or set `replace_all`. Copy it from read without the line \
numbers, white space included. Line ends, encoding and mode of the file are kept."""

_SCHEMA = object_schema(
    {
        "path": {"type": "string", "description": "The file, relative to the working folder."},
        "old_string": {"type": "string", "minLength": 1, "description": "The text to replace."},
        "new_string": {"type": "string", "description": "What takes its place; may be empty."},
    },
    {"replace_all": {"type": "boolean", "description": "Replace every occurrence."}},
)


class _Change(NamedTuple):
    old: str
    new: str
    everywhere: bool


def build(settings: ToolSettings) -> BuiltinTool:
    """Make the tool."""
    folders = Folders(settings.cwd, settings.allow_paths)

    async def action(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        change = _Change(
            str(arguments["old_string"]).replace("\r\n", "\n"),
            str(arguments["new_string"]).replace("\r\n", "\n"),
            bool(arguments.get("replace_all", False)),
        )
        path = str(arguments["path"])
        return await in_thread(lambda cancelled: _edit(folders, path, change, cancelled), context)

    return BuiltinTool(ToolSchema("edit", _DESCRIPTION, _SCHEMA), (WRITES, READS), action)


def _edit(folders: Folders, path: str, change: _Change, cancelled: Cancelled) -> str:
    if change.old == change.new:
        raise PathRefused("old_string and new_string are the same: there is nothing to change.")
    place = folders.locate(path)
    try:
        data, seen = _content(place)
        encoding = encoding_of(data)
        text, places = _changed(encoding.decode(data), change, place)
        replaced = _encoded(text, encoding, place)
        if cancelled():
            return "Stopped before anything was changed."
        replace_file(place, replaced, seen=seen)
    except OSError as error:
        raise PathRefused(sentence(error, place.shown)) from error
    passages = "1 passage" if len(places) == 1 else f"{len(places):,} passages"
    return f"Replaced {passages} in {place.shown}, {_lines_named(places)}."


def _content(place: Place) -> tuple[bytes, os.stat_result]:
    with open(open_file(place), "rb") as file:
        seen = os.fstat(file.fileno())
        data = file.read(LARGEST_WHOLE + 1)
    if len(data) > LARGEST_WHOLE:
        raise PathRefused(f"{place.shown} is too large to edit: {seen.st_size:,} bytes.")
    if is_binary(data):
        raise PathRefused(f"{place.shown} is binary.")
    return data, seen


def _encoded(text: str, encoding: Encoding, place: Place) -> bytes:
    try:
        return encoding.encode(text)
    except UnicodeEncodeError as error:
        kind = encoding.note or "UTF-8"
        raise PathRefused(
            f"new_string has a character that {place.shown} cannot hold ({kind})."
        ) from error


def _changed(text: str, change: _Change, place: Place) -> tuple[str, list[int]]:
    """The new text, and the line numbers of the passages that were replaced."""
    found = list(_pattern(change.old).finditer(text))
    lines = _line_numbers(text, found)
    if not found:
        raise PathRefused(
            f"old_string does not occur in {place.shown}.{_near_miss(text, change.old)}"
        )
    if len(found) > 1 and not change.everywhere:
        raise PathRefused(
            f"old_string occurs {len(found):,} times in {place.shown}, {_lines_named(lines)}: add "
            "surrounding text until it is unique, or set replace_all."
        )
    pieces: list[str] = []
    end = 0
    for match in found:
        pieces += [text[end : match.start()], change.new.replace("\n", _line_end(match[0], text))]
        end = match.end()
    return "".join([*pieces, text[end:]]), lines


def _pattern(old: str) -> re.Pattern[str]:
    """Exactly ``old``, with whatever line ends the file has."""
    return re.compile("\r?\n".join(map(re.escape, old.split("\n"))))


def _line_end(passage: str, text: str) -> str:
    """The line end for what takes the place of ``passage``: its own kind, else the file's first."""
    end = passage.find("\n")
    where, end = (passage, end) if end >= 0 else (text, text.find("\n"))
    return "\r\n" if end > 0 and where[end - 1] == "\r" else "\n"


def _line_numbers(text: str, found: list[re.Match[str]]) -> list[int]:
    numbers: list[int] = []
    line, end = 1, 0
    for match in found:
        line += text.count("\n", end, match.start())
        end = match.start()
        numbers.append(line)
    return numbers


def _lines_named(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:_LINES_NAMED]))
    more = f" and {len(lines) - _LINES_NAMED:,} more" if len(lines) > _LINES_NAMED else ""
    return f"line{'s' if len(lines) > 1 else ''} {shown}{more}"


_LINES_NAMED = 10


def _near_miss(text: str, old: str) -> str:
    """Point at a passage that differs in its white space alone: the usual mistake."""
    words = old.split()
    if not words:
        return ""
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    if match is None:
        return ""
    line = text.count("\n", 0, match.start()) + 1
    return f" A passage at line {line} differs only in white space."
