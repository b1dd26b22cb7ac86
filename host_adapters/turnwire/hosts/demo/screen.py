"""Lines on this terminal: plain text, a little colour where there is someone to see it.

Owns the writing to stdout and the choice of colour and marks. Knows no events.
"""

from __future__ import annotations

import os
import shutil
import textwrap
from typing import TextIO

__all__ = ["Screen"]

_CODES = {"dim": "2", "bold": "1", "good": "32", "bad": "31", "wait": "33"}
_PLAIN = {"✓": "+", "✗": "x", "›": ">", "│": "|", "┌": "+", "└": "+", "…": "...", "·": "-"}
_MARGIN = "  "
_WIDEST = 100


class Screen:
    """Writes to ``out``. Marks that its encoding lacks are spelt in ASCII."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        # https://no-color.org: any value that is not empty.
        self._colour = out.isatty() and not os.environ.get("NO_COLOR")
        self._width = min(_WIDEST, shutil.get_terminal_size().columns) - len(_MARGIN)
        self._column = 0
        self._word = ""

    def line(self, text: str = "", style: str | None = None) -> None:
        """Write ``text`` as a line of its own; blank lines are kept as they are."""
        self.break_line()
        self._write(f"{self._styled(_MARGIN + text, style) if text else ''}\n")

    def card(self, title: str, lines: tuple[str, ...]) -> None:
        """Write a box that a person is to read to its end: long lines are wrapped, none is cut."""
        self.line(f"┌ {title}", "bold")
        wrapper = textwrap.TextWrapper(
            self._width - 2,
            subsequent_indent="  ",
            drop_whitespace=False,
            break_on_hyphens=False,
        )
        for line in lines:
            for piece in wrapper.wrap(line) or [""]:
                self.line(f"│ {piece}")
        self.line("└", "bold")

    def piece(self, text: str) -> None:
        """Write a piece of running text, wrapped at words; the last word waits for its end."""
        *words, self._word = (self._word + text).split(" ")
        for word in words:
            self._put(word)

    def break_line(self) -> None:
        """End running text, if there is some."""
        if self._word:
            self._put(self._word)
            self._word = ""
        if self._column:
            self._write("\n")
            self._column = 0

    def _put(self, word: str) -> None:
        if self._column and self._column + len(word) >= self._width:
            self._write("\n")
            self._column = 0
        self._write((" " if self._column else _MARGIN) + word)
        self._column += len(word) + 1

    def _styled(self, text: str, style: str | None) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if style and self._colour else text

    def _write(self, text: str) -> None:
        encoding = self._out.encoding or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            for mark, plain in _PLAIN.items():
                text = text.replace(mark, plain)
            text = text.encode(encoding, "replace").decode(encoding)
        self._out.write(text)
        self._out.flush()
