"""Halves of surrogate pairs, where they come in from a provider: joined if they meet, else U+FFFD.
Pure.

JSON may escape a character beyond U+FFFF as two halves, and a provider may cut between them. Owns
the mending of text that comes in pieces and of JSON text whose strings hold such escapes.
"""

from __future__ import annotations

import re

from turnwire.protocol.text import well_formed

__all__ = ["Mender", "mend_escapes"]

_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
"""A pair, a half that stands alone, any other escape (so that a backslash is never read twice)."""
_HALF_ESCAPE = len(r"\ud83c")


class Mender:
    """One text that comes in pieces. A first half at the end of a piece waits for what follows."""

    def __init__(self) -> None:
        self._waiting = ""

    def mend(self, piece: str) -> str:
        """Take the next piece and give what is certain by now, well-formed."""
        if not self._waiting and piece.isascii():
            return piece
        piece = self._waiting + piece
        self._waiting = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        return well_formed(piece[:-1] if self._waiting else piece)

    def close(self) -> str:
        """Take the end and give what a waiting half becomes."""
        waiting, self._waiting = self._waiting, ""
        return well_formed(waiting)


def mend_escapes(json: str) -> str:
    """Write U+FFFD for each escaped half in ``json`` that has no other half; all else stays as it
    is.
    """
    if "\\u" not in json:
        return json
    return _ESCAPES.sub(_mended, json)


def _mended(escape: re.Match[str]) -> str:
    written = escape[0]
    alone = written[:2] == "\\u" and len(written) == _HALF_ESCAPE
    return "\\ufffd" if alone else written
