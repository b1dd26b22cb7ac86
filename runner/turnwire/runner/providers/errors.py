"""What can be wrong with a model before its first request, and with a provider's answer.

Owns the conditions by name, each with its code of the wire. Decides nothing and prints nothing.
"""

from __future__ import annotations

from turnwire.protocol.faults import Blame, ErrorCode, WireError

__all__ = [
    "STOPPED",
    "BadAddress",
    "BadKey",
    "BadScript",
    "CannotOpen",
    "KeyMissing",
    "ProviderFault",
    "UnknownModel",
    "provider_error",
]

STOPPED = WireError(code=ErrorCode.TIMED_OUT, message="The request was stopped.", fault=Blame.HOST)
"""A request that was cancelled: nobody's fault, and nobody waits for it any more."""


class CannotOpen(Exception):
    """A model that cannot be opened as it was asked for. The message is one sentence for people."""

    code = ErrorCode.USAGE

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnknownModel(CannotOpen):
    """No provider answers to that prefix, or it wants a name behind it."""


class BadAddress(CannotOpen):
    """A base URL that is none, or that would carry a conversation in the clear over a network."""


class BadKey(CannotOpen):
    """A key with characters that no HTTP header may hold."""


class BadScript(CannotOpen):
    """A scripted model's file that cannot be read; the message names file and line."""


class KeyMissing(CannotOpen):
    """The provider wants a key and there is none; the message names the variable that would hold
    it.
    """

    code = ErrorCode.KEY_MISSING


class ProviderFault(Exception):
    """What a provider did instead of answering, on its way to a ``ModelFault``; it never leaves
    this room.

    ``wait_seconds`` is how long the provider wants us to wait, if it said so.
    """

    def __init__(self, error: WireError, wait_seconds: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait_seconds = wait_seconds


def provider_error(code: ErrorCode, message: str, *, retryable: bool) -> WireError:
    """Give an error that is the provider's fault, or that of the way to it."""
    return WireError(code=code, message=message, fault=Blame.PROVIDER, retryable=retryable)
