"""The search worker: a regular expression through files, line by line, as a process of its own.

Of its own, because a pattern can take time without end, and Python lets nothing else run meanwhile:
a process can be ended. Owns what is a match and how it is shown. Standard library only, so that it
starts in 20 ms: ``python -I -S``, the request as JSON in the one argument, the answer on stdout,
exit code 2 if the answer says what was wrong with the request.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from turnwire.runner.tools.builtin.candidates import Needle, candidates
from turnwire.runner.tools.builtin.encodings import LARGEST_WHOLE, Encoding, encoding_of, is_binary
from turnwire.runner.tools.builtin.literals import required_literal
from turnwire.runner.tools.builtin.paths import PathRefused, Place, sentence
from turnwire.runner.tools.builtin.patterns import BadPattern, PathPattern

__all__ = ["Request", "answer", "main"]

_PIECE = 1024 * 1024
"""Of a file that is not taken whole: a longer line is searched in pieces."""

_SHOWN_CHARS = 500
"""What is shown of a line: the surroundings of the first match, if it is longer."""


class Request(NamedTuple):
    """What to look for and where. ``real`` and ``shown`` are a ``Place``; ``output`` is content,
    files or count; ``room`` is how many characters the answer may have.
    """

    pattern: str
    real: str
    shown: str
    glob: str
    output: str
    context: int
    ignore_case: bool
    room: int


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
    search = _Search(request, expression, needle)
    for path, descriptor in candidates(place, PathPattern(glob), needle):
        with open(descriptor, "rb") as file:
            yield from search.in_file(path, file)


class _Search:
    def __init__(
        self, request: Request, expression: re.Pattern[str], needle: Needle | None
    ) -> None:
        self._request = request
        self._expression = expression
        self._needle = needle.text if needle and not needle.ignore_case else ""
        self._any_shown = False

    def in_file(self, path: str, file: BinaryIO) -> Iterator[str]:
        """What is said of one file."""
        head = file.read(LARGEST_WHOLE)
        binary = is_binary(head)
        lines = self._lines(head, file, binary=binary)
        if self._request.output == "count":
            count = len({number for number, line in lines if self._find(line)})
            yield from [f"{path}:{count}"] if count else []
        elif self._request.output == "files" or binary:
            says = path if self._request.output == "files" else f"{path}: binary file matches"
            yield from [says] if any(self._find(line) for _, line in lines) else []
        else:
            yield from self._content(path, lines)

    def _find(self, line: str) -> re.Match[str] | None:
        return self._expression.search(line) if self._needle in line else None

    def _lines(self, head: bytes, file: BinaryIO, *, binary: bool) -> Iterator[tuple[int, str]]:
        """The lines of a file, numbered, without their ends; none, if its bytes say that nothing
        can match. Of a very long line there are several pieces with one number.
        """
        encoding = Encoding("latin-1") if binary else encoding_of(head)
        if len(head) == LARGEST_WHOLE:
            file.seek(len(encoding.mark))
            yield from _pieces(file, encoding)
        elif self._needle.encode() in head or encoding.name.startswith("utf-16"):
            lines = encoding.decode(head).split("\n")
            # What follows the last line end is a line only if there is something.
            shown = lines if lines[-1] else lines[:-1]
            yield from enumerate((line.removesuffix("\r") for line in shown), 1)

    def _content(self, path: str, lines: Iterator[tuple[int, str]]) -> Iterator[str]:
        """Matches as ``path:number:line``, what surrounds them with ``-``, and ``--`` between
        groups.
        """
        before: deque[tuple[int, str]] = deque(maxlen=self._request.context)
        after = last = 0
        for number, line in lines:
            match = self._find(line)
            if match is not None:
                yield from self._gap(number - len(before), last)
                yield from (f"{path}-{at}-{_shown(text)}" for at, text in before)
                yield f"{path}:{number}:{_shown(line, match.start())}"
                before.clear()
                after, last = self._request.context, number
            elif after:
                yield f"{path}-{number}-{_shown(line)}"
                after, last = after - 1, number
            else:
                before.append((number, line))

    def _gap(self, number: int, last: int) -> Iterator[str]:
        if self._any_shown and self._request.context and (not last or number > last + 1):
            yield "--"
        self._any_shown = True


def _pieces(file: BinaryIO, encoding: Encoding) -> Iterator[tuple[int, str]]:
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    number, rest = 1, ""
    for data in iter(lambda: file.read(_PIECE), b""):
        *lines, rest = (rest + decoder.decode(data)).split("\n")
        for line in lines:
            yield number, line.removesuffix("\r")
            number += 1
        if len(rest) >= _PIECE:
            yield number, rest
            rest = ""
    if rest:
        yield number, rest


def _shown(line: str, start: int = 0) -> str:
    """The line, or what surrounds ``start`` in a long one."""
    if len(line) <= _SHOWN_CHARS:
        return line
    begin = max(0, min(start - _SHOWN_CHARS // 2, len(line) - _SHOWN_CHARS))
    end = begin + _SHOWN_CHARS
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"
