"""A walk through a folder: what a pattern matches, in the order of paths, name by name.

Owns the order and what is passed over: folders called ``.git``, and what lies behind links.
Standard library only, for the search worker.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from turnwire.runner.tools.builtin.patterns import PathPattern, State

__all__ = ["DEEPEST", "Found", "walk"]

DEEPEST = 200
"""Folders within one another; each on the way down holds a descriptor."""

_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Found(NamedTuple):
    """A path that was matched: as seen from where the walk began, and as ``name`` in the open
    folder ``folder``, which stays open until the next one is asked for.
    """

    path: str
    folder: int
    name: str
    is_folder: bool
    is_file: bool


def walk(folder: int, pattern: PathPattern, cancelled: Callable[[], bool]) -> Iterator[Found]:
    """Find what ``pattern`` matches below the open ``folder``. What cannot be listed is passed
    over.
    """
    return _Walk(pattern, cancelled).below(folder, ".", "", pattern.start)


class _Walk:
    def __init__(self, pattern: PathPattern, cancelled: Callable[[], bool]) -> None:
        self._pattern = pattern
        self._cancelled = cancelled

    def below(self, parent: int, name: str, path: str, state: State) -> Iterator[Found]:
        """What matches in the folder ``name`` of ``parent``, whose path is ``path``."""
        try:
            folder = os.open(name, _LIST, dir_fd=parent)
        except OSError:
            return
        try:
            yield from self._in(folder, path, state)
        finally:
            os.close(folder)

    def _in(self, folder: int, path: str, state: State) -> Iterator[Found]:
        for name, is_folder, is_file in _entries(folder):
            if self._cancelled():
                return
            here = self._pattern.step(state, name)
            if self._pattern.accepts(here):
                yield Found(path + name, folder, name, is_folder, is_file)
            if is_folder and self._pattern.goes_on(here) and path.count("/") < DEEPEST:
                yield from self.below(folder, name, f"{path}{name}/", here)


def _entries(folder: int) -> list[tuple[str, bool, bool]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (it.name, it.is_dir(follow_symlinks=False), it.is_file(follow_symlinks=False))
                for it in entries
                if it.name != ".git"
            )
    except OSError:
        return []
