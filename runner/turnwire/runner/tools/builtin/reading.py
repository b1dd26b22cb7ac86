"""The tool ``read``: a window of a text file, with line numbers.

Owns the window and what is said around it. Which files may be opened is ``paths``'s.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, TextIO

from turnwire.runner.core.ports import ToolContext, ToolOutcome, ToolSchema
from turnwire.runner.tools.builtin.encodings import (
    LARGEST_WHOLE,
    Encoding,
    encoding_of,
    is_binary,
)
from turnwire.runner.tools.builtin.paths import Folders, PathRefused, Place, open_file, sentence
from turnwire.runner.tools.builtin.tool import (
    READS,
    BuiltinTool,
    Cancelled,
    in_thread,
    object_schema,
)
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["DEFAULT_LINES", "build"]

DEFAULT_LINES = 2_000
"""Lines of a window, if the call does not say."""

_LINE_CHARS = 2_000
"""Where a long line is cut; minified files have lines of megabytes."""

_PIECE_CHARS = 65_536
"""How much of an endless line is held at once."""

_NOTES_CHARS = 300
"""Kept free for what is said around the window."""

_DESCRIPTION = f"""Read a text file. Gives lines as NUMBER<tab>TEXT, from line `offset` (default 1), \
at most `limit` (default {DEFAULT_LINES:,}) of them; the end says how to go on. Lines over \
{_LINE_CHARS:,} characters are cut. The numbers are not part of the file."""

_SCHEMA = object_schema(
    {"path": {"type": "string", "description": "The file, relative to the working folder."}},
    {
        "offset": {"type": "integer", "minimum": 1, "description": "The first line, from 1."},
        "limit": {"type": "integer", "minimum": 1, "description": "The most lines to give."},
    },
)


class _Window(NamedTuple):
    first: int
    limit: int
    room: int


class _Opened(NamedTuple):
    text: TextIO
    encoding: Encoding
    lines: int | None
    """How many there are, where that is known."""


def build(settings: ToolSettings) -> BuiltinTool:
    """Make the tool; the folder of spilled results may be read as well."""
    spills = (settings.spill_folder,) if settings.spill_folder else ()
    folders = Folders(settings.cwd, (*settings.allow_paths, *spills))
    room = max(settings.max_result_chars - _NOTES_CHARS, _NOTES_CHARS)

    async def action(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        first, limit = arguments.get("offset", 1), arguments.get("limit", DEFAULT_LINES)
        window = _Window(int(first), int(limit), room)
        path = str(arguments["path"])
        return await in_thread(lambda cancelled: _read(folders, path, window, cancelled), context)

    return BuiltinTool(ToolSchema("read", _DESCRIPTION, _SCHEMA), (READS,), action)


def _read(folders: Folders, path: str, window: _Window, cancelled: Cancelled) -> str:
    place = folders.locate(path)
    try:
        with open(open_file(place), "rb") as file:
            opened = _open_text(file, place)
            shown, complete = _lines_of(window, _lines(opened.text, window.room // 2, cancelled))
    except OSError as error:
        raise PathRefused(sentence(error, place.shown)) from error
    if not shown and window.first > 1:
        length = "" if opened.lines is None else f": it has {opened.lines:,} lines"
        raise PathRefused(f"{place.shown} has no line {window.first:,}{length}.")
    return "\n".join([*shown, *_notes(opened, window, len(shown), complete=complete)])


def _open_text(file: BinaryIO, place: Place) -> _Opened:
    head = file.read(LARGEST_WHOLE)
    if is_binary(head):
        size = os.fstat(file.fileno()).st_size
        raise PathRefused(f"{place.shown} is binary ({size:,} bytes), so it is not shown.")
    encoding = encoding_of(head)
    if len(head) < LARGEST_WHOLE:
        text = encoding.decode(head)
        lines = text.count("\n") + (not text.endswith("\n") and bool(text))
        return _Opened(io.StringIO(text, newline="\n"), encoding, lines)
    file.seek(len(encoding.mark))
    return _Opened(io.TextIOWrapper(file, encoding.name, "replace", newline="\n"), encoding, None)


def _lines(text: TextIO, longest: int, cancelled: Cancelled) -> Iterator[str]:
    """Lines without their ends, each cut where it is too long; of a stopped call no further ones."""
    longest = min(longest, _LINE_CHARS)
    while (piece := text.readline(_PIECE_CHARS)) and not cancelled():
        line, length = piece[:longest], len(piece)
        while len(piece) == _PIECE_CHARS and not piece.endswith("\n") and not cancelled():
            piece = text.readline(_PIECE_CHARS)
            length += len(piece)
        if length > longest + 1:
            yield f"{line}… [cut: {length:,} characters]"
        else:
            yield line.removesuffix("\n").removesuffix("\r")


def _lines_of(window: _Window, lines: Iterator[str]) -> tuple[list[str], bool]:
    """The numbered lines of the window, and whether they reach the end of the file."""
    shown: list[str] = []
    room = window.room
    for number, line in enumerate(lines, 1):
        if number < window.first:
            continue
        entry = f"{number}\t{line}"
        room -= len(entry) + 1
        if len(shown) == window.limit or (shown and room < 0):
            return shown, False
        shown.append(entry)
    return shown, True


def _notes(opened: _Opened, window: _Window, count: int, *, complete: bool) -> Iterator[str]:
    if not count:
        yield "(the file is empty)"
    last = window.first + count - 1
    if not complete or window.first > 1:
        total = "" if opened.lines is None else f" of {opened.lines:,}"
        rest = "" if complete else f"; go on with offset {last + 1}"
        yield f"[lines {window.first:,} to {last:,}{total}{rest}]"
    if opened.encoding.note:
        yield f"[{opened.encoding.note}]"
