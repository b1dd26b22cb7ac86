"""The files that a search looks into, in the order of paths: by our own walk, or by ripgrep's.

Owns that both give the same search. ripgrep only chooses files that hold a text which every match
must contain; whether they match is looked at in one way alone, and each file is opened here, never
through a link. Standard library only, for the search worker.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from turnwire.runner.tools.builtin.paths import (
    PathRefused,
    Place,
    folder_at,
    folder_of,
    open_file,
    open_in,
)
from turnwire.runner.tools.builtin.patterns import PathPattern
from turnwire.runner.tools.builtin.walking import DEEPEST, walk

__all__ = ["Needle", "candidates", "find_program"]

_RIPGREP = (
    "rg",
    "--no-config",
    "--no-messages",
    "--no-ignore",
    "--hidden",
    "--text",
    "--files-with-matches",
    "--null",
    "--fixed-strings",
    "--glob=!.git",
)


class Needle(NamedTuple):
    """A text that each match contains, and whether its case counts."""

    text: str
    ignore_case: bool


def candidates(
    place: Place, pattern: PathPattern, needle: Needle | None
) -> Iterator[tuple[str, int]]:
    """Give path and descriptor of the files that ``pattern`` matches below ``place``, or of the one
    file that ``place`` is. What cannot be opened is passed over.

    PathRefused, OSError: ``place`` itself cannot be opened.
    """
    if not _is_folder(place):
        yield place.shown, open_file(place)
        return
    prefix = "" if place.shown == "." else f"{place.shown.rstrip('/')}/"
    chosen = None if needle is None else _chosen_by_ripgrep(place.real, needle)
    found = _walked(place, pattern) if chosen is None else _opened(place, pattern, chosen)
    for path, descriptor in found:
        yield prefix + path, descriptor


def find_program(name: str) -> str | None:
    """Find a program on the PATH."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(path) and os.access(path, os.X_OK):
            return path
    return None


def _is_folder(place: Place) -> bool:
    with folder_of(place) as (folder, name):
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _walked(place: Place, pattern: PathPattern) -> Iterator[tuple[str, int]]:
    with folder_at(place) as folder:
        for found in walk(folder, pattern, lambda: False):
            descriptor = _tried(open_in, found.folder, found.name, found.path)
            if found.is_file and descriptor is not None:
                yield found.path, descriptor


def _opened(
    place: Place, pattern: PathPattern, chosen: list[list[str]]
) -> Iterator[tuple[str, int]]:
    """The files of ``chosen`` that our own walk would have come to."""
    for names in chosen:
        path = "/".join(names)
        if {".git", ".."} & set(names) or len(names) > DEEPEST + 1 or not pattern.matches(path):
            continue
        descriptor = _tried(open_file, Place(os.path.join(place.real, path), path))
        if descriptor is not None:
            yield path, descriptor


def _tried(opening: Callable[..., int], *arguments: object) -> int | None:
    try:
        return opening(*arguments)
    except (OSError, PathRefused):
        return None


def _chosen_by_ripgrep(folder: str, needle: Needle) -> list[list[str]] | None:
    """The names of each path that holds the needle, in order; None: ripgrep is not there or had
    trouble.
    """
    program = find_program("rg")
    if program is None:
        return None
    case = "--ignore-case" if needle.ignore_case else "--case-sensitive"
    output, code = _output_of(program, (*_RIPGREP, case, "-e", needle.text, "--", folder))
    if code not in {0, 1}:
        return None
    paths = map(os.fsdecode, filter(None, output.split(b"\0")))
    return sorted(os.path.relpath(path, folder).split("/") for path in paths)


def _output_of(program: str, arguments: tuple[str, ...]) -> tuple[bytes, int]:
    """Run a program; not with ``subprocess``, which takes longer to load than most searches."""
    reading, writing = os.pipe()
    silence = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    try:
        pid = os.posix_spawn(
            program,
            arguments,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), silence],
        )
    finally:
        os.close(writing)
    with open(reading, "rb") as pipe:
        output = pipe.read()
    return output, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
