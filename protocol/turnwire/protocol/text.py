"""Text that came from somewhere else: made well-formed once, and made safe to show to a person.

Owns the list of characters that hide or move what stands beside them (spec/people.md). Knows no
JSON and no surface; what is shown is changed, what is stored never is.
"""

from __future__ import annotations

import re

__all__ = ["visible", "well_formed"]

_LONGEST_SPACE = 32
"""More blanks than this in a row push what follows out of sight, as an indentation seldom does."""

_NAMES = {"\t": "TAB", "\n": "LF", "\r": "CR", "\x1b": "ESC"}

_INVISIBLE = (
    # Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties as far as str.isprintable
    # passes it, and U+2800, the empty Braille pattern.
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef"
)
_STACKING = (
    # Combining marks of no one script, then Hebrew, Arabic, Thai and Lao ones.
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc"
    "\u0ec8-\u0ece"
)
"""Marks that renderers pile up: a long run of them paints over the lines around it."""

_SUSPECT = re.compile(rf"[{_INVISIBLE}]|[{_STACKING}]{{5}}|\x20{{{_LONGEST_SPACE + 1}}}")
_RUN = re.compile(rf"[{_STACKING}]{{5,}}|\x20{{{_LONGEST_SPACE + 1},}}|([^\x20-\x7e])\1*")
_HIDES = re.compile(rf"[{_INVISIBLE}]")
_SPELLING = re.compile(r"<(?:U\+[0-9A-F]{4,6}|TAB|LF|CR|ESC|SPACE)(?: x\d+)?>")
_LONGEST_SPELLING = len("<U+10FFFF x1000000000>")


def well_formed(text: str) -> str:
    """Join halves of a surrogate pair that met in ``text``; U+FFFD for each half that is alone."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def visible(text: str, limit: int | None = None) -> str:
    """Give ``text`` as one line in which nothing hides: safe to show, not to run.

    Control, bidirectional, zero-width, blank and line-breaking characters, unassigned ones and
    piles of combining marks are spelt like ``<ESC>`` and ``<U+202E>``, a run of one of them like
    ``<U+3000 x500>``. Of a text longer than ``limit`` characters, before or after spelling, the
    beginning is given and a mark that says so and states the true length, on top of ``limit``.
    """
    length = len(text)
    if limit is not None:
        text = text[:limit]
    shown = text
    if not text.isprintable() or _SUSPECT.search(text):
        shown = _RUN.sub(_spelt, text)
    if limit is None or (len(shown) <= limit and length <= limit):
        return shown
    return f"{_cut(shown, limit)}… [cut: {length:,} characters in all]"


def _spelt(run: re.Match[str]) -> str:
    characters = run[0]
    first, count = characters[0], len(characters)
    if first == " ":
        return f"<SPACE x{count}>"
    if run[1] is None:
        return "".join(f"<U+{ord(mark):04X}>" for mark in characters)
    if first.isprintable() and not _HIDES.match(first):
        return characters
    name = _NAMES.get(first) or f"U+{ord(first):04X}"
    return f"<{name}>" if count == 1 else f"<{name} x{count}>"


def _cut(shown: str, limit: int) -> str:
    """Cut at ``limit``, or before a spelling that would be cut in two."""
    around = max(0, limit - _LONGEST_SPELLING), limit + _LONGEST_SPELLING
    for spelling in _SPELLING.finditer(shown, *around):
        if spelling.start() < limit < spelling.end():
            return shown[: spelling.start()]
    return shown[:limit]
