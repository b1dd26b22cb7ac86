"""What went wrong and whose fault it was, as the wire says it."""

from __future__ import annotations

import enum

from turnwire.protocol.base import Word

__all__ = ["Blame", "ErrorCode", "WireError"]


class Blame(enum.StrEnum):
    """Whose fault an error is."""

    OURS = "ours"
    """A bug of the child."""
    HOST = "host"
    """The host, its flags, its configuration or its lines."""
    PROVIDER = "provider"
    """The model's provider, its server, or the way to it."""
    TOOL = "tool"
    """A tool or the process behind it."""


class ErrorCode(enum.StrEnum):
    """The named conditions of ``error.code`` that the child itself produces (spec/exit-codes.md)."""

    USAGE = "usage"
    """Bad arguments or configuration: exit 2."""
    KEY_MISSING = "key_missing"
    """The provider wants a key and there is none: exit 3."""
    UNAUTHORIZED = "unauthorized"
    """The provider refused the key: exit 3."""
    UNREACHABLE = "unreachable"
    """No connection to the provider's address: exit 3."""
    RATE_LIMITED = "rate_limited"
    """The provider asked us to wait longer or more often than allowed: exit 3."""
    QUOTA_EXHAUSTED = "quota_exhausted"
    """The account has nothing left to spend; waiting does not help: exit 3."""
    OVERLOADED = "overloaded"
    """The provider had no capacity, after all tries: exit 3."""
    BAD_REQUEST = "bad_request"
    """The provider refused the request itself: exit 3."""
    CONTEXT_LENGTH = "context_length"
    """The provider said that the conversation is too long for the model: exit 3."""
    SERVER_ERROR = "server_error"
    """The provider failed on its side, after all tries: exit 3."""
    BAD_STREAM = "bad_stream"
    """The provider's answer was cut off or was not what it claimed to be: exit 3."""
    TIMED_OUT = "timed_out"
    """The provider was silent for too long: exit 3."""
    NO_ANSWER = "no_answer"
    """The model said nothing usable, twice: exit 3."""
    MODEL_UNAVAILABLE = "model_unavailable"
    """The model could not be started or does not exist: exit 3."""
    SESSION_UNWRITABLE = "session_unwritable"
    """The session's log could not be written: exit 6."""
    SESSION_IN_USE = "session_in_use"
    """Another process holds the session: exit 7."""
    INTERNAL = "internal"
    """Our own bug: exit 70."""


class WireError(Word, frozen=True, kw_only=True):
    """An error on a row or on ``end``: a stable ``code``, one sentence for people, the blame, and whether
    trying again may help. ``code`` is an :class:`ErrorCode` or a tool's own word; hosts ignore unknown ones.
    """

    code: str
    message: str
    fault: Blame
    retryable: bool = False
