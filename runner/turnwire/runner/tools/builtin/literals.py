"""A text that every match of a regular expression must contain, if one can be told for sure.

It lets a fast program choose the files that are worth looking into. A guess would lose matches, so
whatever is not plain gives nothing. Standard library only, for the search worker.
"""

from __future__ import annotations

import re

__all__ = ["required_literal"]

_SHORTEST = 3

_TOKEN = re.compile(
    r"""(?P<escape>\\.)              # an escape
    |   (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])   # a set of characters
    |   (?P<optional>\{[^}]*\}|[*?])  # what makes the item before it optional, or might
    |   (?P<more>\+)
    |   (?P<open>\()
    |   (?P<close>\))
    |   (?P<any>[.^$])
    |   (?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)

_FOLDED = frozenset("iksIKS")
"""Letters that have equals outside of ASCII when case is ignored, about which programs differ."""


def required_literal(pattern: str, *, ignore_case: bool) -> str | None:
    """Give the longest run of ASCII that each match contains, from three characters on."""
    if "|" in pattern or "(?" in pattern:
        return None
    runs = [""]
    depth = 0
    for token in _TOKEN.finditer(pattern):
        kind = str(token.lastgroup)
        depth += {"open": 1, "close": -1}.get(kind, 0)
        character = token[0][-1]
        if kind == "optional":
            runs[-1:] = [runs[-1][:-1], ""]
        elif depth or not _is_plain(kind, character) or (ignore_case and character in _FOLDED):
            runs.append("")
        else:
            runs[-1] += character
    longest = max(runs, key=len)
    return longest if len(longest) >= _SHORTEST else None


def _is_plain(kind: str, character: str) -> bool:
    """Does the token stand for exactly ``character``?"""
    if kind == "escape":
        return not character.isalnum() and " " <= character <= "~"
    return kind == "plain" and " " <= character <= "~"
