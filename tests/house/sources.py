"""Reads the repository's files for the house's checks: what is committed or could be, parsed once."""

from __future__ import annotations

import ast
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PRODUCT = ("protocol", "runner", "host_adapters")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """A Python file: its path from the top, its lines and its tree."""

    path: str
    lines: list[str]
    tree: ast.Module

    def functions(self) -> Iterator[Function]:
        """Give every function and method, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def tokens(self) -> Iterator[tokenize.TokenInfo]:
        """Give the file's tokens, comments among them."""
        lines = iter([f"{line}\n" for line in self.lines])
        return tokenize.generate_tokens(lambda: next(lines, ""))

    def place(self, node: ast.stmt | ast.expr | ast.excepthandler) -> str:
        """Say where ``node`` stands, in a form that editors open."""
        return f"{self.path}:{node.lineno}"

    def remark(self, line: int) -> bool:
        """Tell whether a comment with words of its own stands on ``line`` (from 1) or right above."""
        above = self.lines[line - 2].strip() if line > 1 else ""
        return above.startswith("#") or _has_words(self.lines[line - 1])


def _has_words(line: str) -> bool:
    """A bare ``noqa: CODE`` silences a tool; a reason is what stands beside it."""
    _, hash_mark, comment = line.partition("#")
    words = [word for word in comment.replace("#", " ").split() if not word.isupper()]
    return bool(hash_mark) and len([word for word in words if word != "noqa:"]) >= 2


@cache
def tracked() -> tuple[str, ...]:
    """Give every path that is committed, or would be with ``git add``; without git, every file."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        names = listed.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [
            str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if ".venv" not in path.parts
        ]
    return tuple(sorted(name for name in names if name and (ROOT / name).is_file()))


def text_of(path: str) -> str:
    """Give a file's text; what is no UTF-8 becomes replacement characters."""
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


@cache
def _parsed(path: str) -> Source:
    text = text_of(path)
    return Source(path, text.splitlines(), ast.parse(text, path))


def product() -> list[Source]:
    """Give the Python files that users install."""
    return [_parsed(path) for path in tracked() if path.endswith(".py") and _top(path) in PRODUCT]


def sources_of_tests() -> list[Source]:
    """Give the Python files under ``tests``."""
    return [_parsed(path) for path in tracked() if path.endswith(".py") and _top(path) == "tests"]


def _top(path: str) -> str:
    return path.split("/", 1)[0]


def length(node: Function) -> int:
    """Count a function's lines from its ``def`` to its end, its docstring left out."""
    end = node.end_lineno or node.lineno
    docstring = 0
    if ast.get_docstring(node) is not None:
        first = node.body[0]
        docstring = (first.end_lineno or first.lineno) - first.lineno + 1
    return end - node.lineno + 1 - docstring
