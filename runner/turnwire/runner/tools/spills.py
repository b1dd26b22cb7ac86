"""Files that hold a result whole when the model is given only its beginning and its end.

Owns how such a file is made: readable by this user alone, never through a link, never over another
file.
"""

from __future__ import annotations

import os
import re

__all__ = ["SPILL_BYTES", "open_spill", "spill_text"]

SPILL_BYTES = 16 * 1024 * 1024
"""How much of a stream is kept on disk. A text that is in memory already is kept whole."""

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_TRIES = 10


def open_spill(folder: str | None, call: str) -> tuple[str, int] | None:
    """Make the file for the result of ``call``: its path and a descriptor to write to.

    None: there is no folder, or nothing can be made in it. A result must not fail because its copy
    does.
    """
    if folder is None:
        return None
    stem = os.path.join(folder, _UNSAFE.sub("_", call)[:200])
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        return _first_free(stem)
    except OSError:
        return None


def spill_text(folder: str | None, call: str, text: str) -> str | None:
    """Keep ``text`` whole; gives the path, or None where that could not be done."""
    opened = open_spill(folder, call)
    if opened is None:
        return None
    path, descriptor = opened
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError:
        os.unlink(path)
        return None
    return path


def _first_free(stem: str) -> tuple[str, int] | None:
    """A call that was spilled before its process died has its file already."""
    for number in range(1, _TRIES + 1):
        path = f"{stem}.txt" if number == 1 else f"{stem}.{number}.txt"
        try:
            return path, os.open(path, _FLAGS, 0o600)
        except FileExistsError:
            continue
    return None
