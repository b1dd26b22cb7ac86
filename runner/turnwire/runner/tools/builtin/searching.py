"""The search worker: a regular expression through files, line by line, as a process of its own.

Of its own, because a pattern can take time without end, and Python lets nothing else run meanwhile: a
process can be ended. Owns what is a match and how it is shown. Standard library only, so that it
starts in 20 ms: ``python -I -S``, the request as JSON in the one argument, the answer on stdout, exit
code 2 if the answer says what was wrong with the request.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from turnwire.runner.tools.builtin.candidates import Needle, candidates
from turnwire.runner.tools.builtin.encodings import LARGEST_WHOLE, encoding_of, is_binary
from turnwire.runner.tools.builtin.literals import required_literal
from turnwire.runner.tools.builtin.paths import PathRefused, Place, sentence
from turnwire.runner.tools.builtin.patterns import BadPattern, PathPattern

__all__ = ["Request", "answer", "main"]

_PIECE_CHARS = 1024 * 1024
"""A longer line is searched in pieces."""

_SHOWN_CHARS = 500
"""What is shown of a line: the surroundings of the first match, if it is longer."""


class Request(NamedTuple):
    """What to look for and where. ``real`` and ``shown`` are a ``Place``; ``output`` is content, files or
    count; ``room`` is how many characters the answer may have.
    """

    pattern: str
    real: str
    shown: str
    glob: str
    output: str
    context: int
    ignore_case: bool
    room: int


class _Line(NamedTuple):
    number: int
    text: str
    match: re.Match[str] | None


def main() -> None:
    """Answer the request in the one argument."""
    request = Request(*json.loads(sys.argv[1]))
    code = 0
    try:
        text = answer(request)
    except (PathRefused, BadPattern) as refused:
        text, code = str(refused), 2
    except OSError as error:
        text, code = sentence(error, request.shown), 2
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()
    # Without the tidying up of an interpreter that is not needed any more.
    os._exit(code)


def answer(request: Request) -> str:
    """Search. PathRefused, BadPattern, OSError: the request cannot be answered."""
    expression = _compiled(request)
    lines: list[str] = []
    room = request.room
    for line in _answer_lines(request, expression):
        room -= len(line) + 1
        if room < 0:
            lines.append("[stopped here, there is more: narrow the pattern, the path or the glob]")
            break
        lines.append(line)
    return "\n".join(lines) or "Nothing matches."


def _compiled(request: Request) -> re.Pattern[str]:
    if "[[:" in request.pattern:
        raise BadPattern(r"Sets such as [[:alpha:]] are not known; write [A-Za-z], \w, \d or \s.")
    try:
        return re.compile(request.pattern, re.IGNORECASE if request.ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(f"The pattern is no regular expression of Python: {error}.") from error


def _answer_lines(request: Request, expression: re.Pattern[str]) -> Iterator[str]:
    text = required_literal(request.pattern, ignore_case=request.ignore_case)
    needle = None if text is None else Needle(text, request.ignore_case)
    glob = request.glob if "/" in request.glob else f"**/{request.glob}"
    place = Place(request.real, request.shown)
    separated = request.output == "content" and request.context > 0
    first = True
    for path, descriptor in candidates(place, PathPattern(glob), needle):
        with open(descriptor, "rb") as file:
            found = _in_file(file, path, request, expression, needle)
            for line in found:
                if separated and not first:
                    yield "--"
                first = False
                yield line


def _in_file(file: BinaryIO) -> Iterator[str]: ...
