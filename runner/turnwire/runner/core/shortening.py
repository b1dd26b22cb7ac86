"""Words for the model that others chose the length of: cut once, and marked where they are cut. Pure.

What a tool gives back has a room and a bound of its own; this is for refusals and their reasons.
"""

from __future__ import annotations

__all__ = ["shortened"]


def shortened(text: str, limit: int) -> str:
    """Give ``text``, or its first ``limit`` characters and a mark that states the true length."""
    return (
        text
        if len(text) <= limit
        else f"{text[:limit]}… [cut here: {len(text):,} characters in all]"
    )
