"""Where sessions lie, and what they are called.

Owns names and folders; opens nothing and creates nothing. Cheap to import: the name of a session stands in
the first line of a child.
"""

from __future__ import annotations

import os
import time

__all__ = ["new_session_id", "session_root"]

_ENTROPY_BYTES = 4
"""Enough to tell sessions apart that began in the same millisecond."""


def session_root(chosen: str | None) -> str:
    """Give the folder of all sessions: the chosen one, or what the system wants for this user's state."""
    if chosen is not None:
        return os.path.abspath(chosen)
    # 10 ms, and only wanted after the first line.
    from platformdirs import user_state_dir  # noqa: PLC0415

    return os.path.join(user_state_dir("turnwire", appauthor=False), "sessions")


def new_session_id(at_ms: int, entropy: bytes) -> str:
    """Name a session that begins at ``at_ms`` milliseconds since the epoch: names sort as the sessions began.

    ``entropy`` are at least 4 random bytes, of which the first 4 are used. The name is one folder's on any
    file system: digits, hyphens and lower-case hexadecimal.
    """
    if len(entropy) < _ENTROPY_BYTES:
        raise ValueError(f"a session's name needs {_ENTROPY_BYTES} random bytes")
    seconds, milliseconds = divmod(at_ms, 1000)
    moment = time.strftime("%Y%m%d-%H%M%S", time.gmtime(seconds))
    return f"{moment}-{milliseconds:03d}-{entropy[:_ENTROPY_BYTES].hex()}"
