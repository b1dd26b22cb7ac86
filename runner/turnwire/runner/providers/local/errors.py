"""What can keep the embedded model from answering, by name.

Owns the conditions and what a person can do about each.
"""

from __future__ import annotations

from turnwire.protocol.faults import ErrorCode
from turnwire.runner.providers.errors import CannotOpen

__all__ = ["LocalModelBroken", "LocalModelMissing", "LocalModelUnfetched"]

_REMEDY = "run: pip install 'turnwire[local]' && turnwire models pull local"


class LocalModelMissing(CannotOpen):
    """Something that the embedded model needs is not on this machine; ``what`` says which."""

    code = ErrorCode.MODEL_UNAVAILABLE

    def __init__(self, what: str) -> None:
        super().__init__(f"The local model cannot run: {what}; {_REMEDY}")


class LocalModelBroken(CannotOpen):
    """The embedded model's server did not come up; the message says how it ended."""

    code = ErrorCode.MODEL_UNAVAILABLE


class LocalModelUnfetched(CannotOpen):
    """The model's file could not be brought; the message has the package client's last words."""

    code = ErrorCode.MODEL_UNAVAILABLE
