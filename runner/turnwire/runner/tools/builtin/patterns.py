"""Patterns of paths: ``*``, ``?``, ``[a-z]``, ``{a,b}`` within a name, ``**`` for any number of
folders.

Owns what a pattern means. A pattern is followed one name at a time, so that whoever walks a tree
knows which folders it cannot match in. A name that begins with a dot is a name like any other.
Standard library only, for the search worker.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator

__all__ = ["BadPattern", "PathPattern", "State", "split_literal"]

_MOST_ALTERNATIVES = 1_000

State = frozenset[tuple[int, int]]
"""Where a pattern stands after some names: pairs of an alternative and how much of it is matched.
"""


class BadPattern(Exception):
    """The pattern cannot be used; the message is a sentence for the model."""


class PathPattern:
    """A pattern, ready to be followed. BadPattern: it goes up with ``..``, or has too many
    alternatives.
    """

    def __init__(self, pattern: str) -> None:
        self._alternatives = [_segments(plain) for plain in _expanded(pattern)]
        self.start: State = self._closed((number, 0) for number in range(len(self._alternatives)))

    def step(self, state: State, name: str) -> State:
        """Go down into ``name``."""
        return self._closed(self._steps(state, name))

    def accepts(self, state: State) -> bool:
        """Is all of the pattern matched?"""
        return any(position == len(self._alternatives[number]) for number, position in state)

    def goes_on(self, state: State) -> bool:
        """Could something further down match?"""
        return any(position < len(self._alternatives[number]) for number, position in state)

    def matches(self, path: str) -> bool:
        """Does the pattern match all of ``path``?"""
        state = self.start
        for name in path.split("/"):
            state = self.step(state, name)
        return self.accepts(state)

    def _steps(self, state: State, name: str) -> Iterator[tuple[int, int]]:
        for number, position in state:
            segments = self._alternatives[number]
            if position == len(segments):
                continue
            segment = segments[position]
            if segment is None:
                yield number, position
                if position + 1 == len(segments):
                    yield number, position + 1
            elif segment.match(name):
                yield number, position + 1

    def _closed(self, pairs: Iterable[tuple[int, int]]) -> State:
        """``**`` may also stand for no folder at all."""
        reached = set(pairs)
        waiting = list(reached)
        while waiting:
            number, position = waiting.pop()
            segments = self._alternatives[number]
            further = number, position + 1
            # Save at the end: there, it stands for what is in the folder, not for the folder.
            if (
                position + 1 < len(segments)
                and segments[position] is None
                and further not in reached
            ):
                reached.add(further)
                waiting.append(further)
        return frozenset(reached)


def split_literal(pattern: str) -> tuple[str, str]:
    """Split off the folders that stand in ``pattern`` as they are: ``src/a/*.py`` is ``src/a``,
    ``*.py``.
    """
    names = pattern.split("/")
    literal = 0
    while literal < len(names) - 1 and not re.search(r"[*?\[{]", names[literal]):
        literal += 1
    folder = "/".join(names[:literal])
    return folder or ("/" if pattern.startswith("/") else "."), "/".join(names[literal:])


def _segments(pattern: str) -> list[re.Pattern[str] | None]:
    """One expression a name, None for ``**``."""
    names = [name for name in pattern.split("/") if name not in {"", "."}]
    if ".." in names:
        raise BadPattern(f"{pattern}: .. may stand only before the first wildcard.")
    return [None if name == "**" else re.compile(fnmatch.translate(name)) for name in names]


def _expanded(pattern: str) -> list[str]:
    """The patterns without braces that ``pattern`` stands for."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > _MOST_ALTERNATIVES:
            raise BadPattern(f"{pattern[:100]}: too many alternatives in braces.")
        plain = waiting.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", plain)
        if braces is None:
            done.append(plain)
            continue
        before, after = plain[: braces.start()], plain[braces.end() :]
        waiting += [f"{before}{choice}{after}" for choice in braces[1].split(",")]
    return done
