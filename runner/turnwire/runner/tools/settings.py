"""What the tools of one run are given. Owns the shape alone; the command line fills it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

__all__ = ["MAX_RESULT_CHARS", "ToolSettings"]

MAX_RESULT_CHARS = 20_000
"""Characters of a result that a model is given unless a run says otherwise: about 5,000 tokens."""


class ToolSettings(msgspec.Struct, frozen=True):
    """Where the tools of a run may work, and within which bounds.

    ``cwd`` is the run's folder, ``allow_paths`` what else file tools may touch. ``environment`` is
    all that a shell command gets to see; whoever fills it has taken the secrets out.
    ``spill_folder`` is where results that are too long are kept whole, if anywhere.
    ``max_result_chars`` bounds what the model is given of one result.
    """

    cwd: str
    allow_paths: tuple[str, ...]
    environment: Mapping[str, str]
    spill_folder: str | None
    bash_timeout_seconds: float = 120
    max_result_chars: int = MAX_RESULT_CHARS
