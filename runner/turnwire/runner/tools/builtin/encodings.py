"""The bytes of a file as text, and back without a change to what was not edited.

Owns the one rule of which encoding a file has; ``read``, ``edit`` and ``grep`` all follow it, so
that what one shows the other finds. Standard library only, for the search worker.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

__all__ = ["LARGEST_WHOLE", "Encoding", "encoding_of", "is_binary"]

LARGEST_WHOLE = 8 * 1024 * 1024
"""Bytes of the largest file that is taken into memory as a whole. Of a larger one the encoding is
told by its first bytes, and it is not edited.
"""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LOOKED_AT = 8_192
"""A NUL among so many bytes makes a file binary: the rule of git and of ripgrep, roughly."""


class Encoding(NamedTuple):
    """How a file's bytes are its text: after the byte order mark ``mark``, in the codec ``name``."""

    name: str
    mark: bytes = b""

    def decode(self, data: bytes) -> str:
        """Decode all the bytes of a file."""
        return data[len(self.mark) :].decode(self.name, "replace")

    def encode(self, text: str) -> bytes:
        """Encode a whole file. UnicodeEncodeError: the encoding has no such character."""
        return self.mark + text.encode(self.name)

    @property
    def note(self) -> str | None:
        """What is worth telling of it: nothing, for UTF-8 without a mark."""
        if self == Encoding("utf-8"):
            return None
        return {
            "utf-8": "UTF-8 with byte order mark",
            "latin-1": "not UTF-8, taken as Latin-1",
        }.get(self.name, self.name.upper())


def encoding_of(data: bytes) -> Encoding:
    """By the byte order mark; else UTF-8 if the bytes are that; else Latin-1, in which every byte
    is a character and comes back as it was.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _checked(Encoding(name, mark), data)
    return _checked(Encoding("utf-8"), data)


def is_binary(data: bytes) -> bool:
    """Are these bytes, the first of a file at least, no text?"""
    marked = any(data.startswith(mark) for mark, _ in _MARKS)
    return not marked and b"\0" in data[:_LOOKED_AT]


def _checked(encoding: Encoding, data: bytes) -> Encoding:
    if not encoding.mark and data.isascii():
        return encoding
    try:
        data[len(encoding.mark) :].decode(encoding.name)
    except UnicodeDecodeError:
        return Encoding("latin-1")
    return encoding
