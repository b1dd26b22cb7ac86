"""What a docstring says of a function and of its parameters.

Reads the forms that are in use (Google, numpy, reST) by their marks alone and passes over what it
does not know. Knows no schema.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

__all__ = ["read_docstring"]

_GOOGLE_SECTION = re.compile(r"(?:Args|Arguments|Parameters|Params):\s*")
_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_NUMPY_SECTION = re.compile(r"(?:Other )?Parameters\s*")
_NUMPY_ENTRY = re.compile(r"\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?")
_REST_ENTRY = re.compile(
    r":(?:param|parameter|arg|argument|key)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)"
)
_REST_FIELD = re.compile(r":\w+[^:]*:")


def read_docstring(function: object) -> tuple[str, dict[str, str]]:
    """Give the first paragraph of the docstring on one line, and what it says of each parameter."""
    text = inspect.getdoc(function) or ""
    lines = text.splitlines()
    entries = [*_google(lines), *_numpy(lines), *_rest(lines)]
    return _first_paragraph(lines), {name: " ".join(words) for name, words in entries if words}


def _first_paragraph(lines: list[str]) -> str:
    words: list[str] = []
    for index, line in enumerate(lines):
        if _starts_fields(lines, index) or (words and not line.strip()):
            break
        words += line.split()
    return " ".join(words)


def _starts_fields(lines: list[str], index: int) -> bool:
    line = lines[index]
    if _GOOGLE_SECTION.fullmatch(line) or _REST_FIELD.match(line):
        return True
    return bool(_NUMPY_SECTION.fullmatch(line)) and _is_underlined(lines, index)


def _is_underlined(lines: list[str], index: int) -> bool:
    following = lines[index + 1].strip() if index + 1 < len(lines) else ""
    return len(following) > 2 and set(following) == {"-"}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _section(lines: list[str], start: int) -> Iterator[str]:
    """The indented block that begins at ``start``."""
    for line in lines[start:]:
        if line.strip() and not _indent(line):
            return
        yield line


def _google(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    for index, line in enumerate(lines):
        if _GOOGLE_SECTION.fullmatch(line):
            yield from _indented_entries(list(_section(lines, index + 1)))


def _indented_entries(block: list[str]) -> Iterator[tuple[str, list[str]]]:
    depth = min((_indent(line) for line in block if line.strip()), default=0)
    name, words = "", list[str]()
    for line in block:
        entry = _GOOGLE_ENTRY.fullmatch(line.strip()) if _indent(line) == depth else None
        if entry is None:
            words += line.split()
            continue
        if name:
            yield name, words
        name, words = entry[1], entry[2].split()
    if name:
        yield name, words


def _numpy(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    for index, line in enumerate(lines):
        if _NUMPY_SECTION.fullmatch(line) and _is_underlined(lines, index):
            yield from _numpy_entries(lines, index + 2)


def _numpy_entries(lines: list[str], start: int) -> Iterator[tuple[str, list[str]]]:
    for index in range(start, len(lines)):
        line = lines[index]
        if _is_underlined(lines, index):
            return
        entry = _NUMPY_ENTRY.fullmatch(line)
        if entry is not None:
            words = " ".join(_section(lines, index + 1)).split()
            for name in entry[1].split(","):
                yield name.strip(), words


def _rest(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    for index, line in enumerate(lines):
        entry = _REST_ENTRY.match(line.strip())
        if entry is None:
            continue
        words = entry[2].split()
        for following in lines[index + 1 :]:
            if not following.strip() or _REST_FIELD.match(following.strip()):
                break
            words += following.split()
        yield entry[1], words
