"""Whether a failed model request is tried again, and after how long. Pure.

A try costs the person time and money, so there are few: :data:`MAX_TRIES` in a row, with waits that double
from :data:`FIRST_WAIT_SECONDS`. A provider that names a wait is obeyed up to :data:`LONGEST_WAIT_SECONDS`;
a longer one is an answer that the person should see at once.
"""

from __future__ import annotations

from msgspec.structs import replace

from turnwire.protocol.faults import WireError
from turnwire.runner.core.ports import ModelFault

__all__ = [
    "FIRST_WAIT_SECONDS",
    "LONGEST_WAIT_SECONDS",
    "MAX_TRIES",
    "last_error",
    "wait_before_retry",
]

MAX_TRIES = 4
"""Attempts of one request, the first included."""
FIRST_WAIT_SECONDS = 0.5
"""Wait before the second attempt; it doubles after that."""
LONGEST_WAIT_SECONDS = 60.0
"""The longest wait that a provider may ask for."""


def wait_before_retry(fault: ModelFault, tries: int) -> float | None:
    """Seconds until the next attempt after ``tries`` failed ones, or None for no further attempt."""
    if not fault.error.retryable or tries >= MAX_TRIES:
        return None
    if fault.wait_seconds is None:
        return FIRST_WAIT_SECONDS * 2.0 ** (tries - 1)
    return fault.wait_seconds if fault.wait_seconds <= LONGEST_WAIT_SECONDS else None


def last_error(fault: ModelFault) -> WireError:
    """Give the error of a request that is not tried again; a wait that is too long is named."""
    error, wait = fault.error, fault.wait_seconds
    if not error.retryable or wait is None or wait <= LONGEST_WAIT_SECONDS:
        return error
    why = f"A wait of {wait:g} s was asked for, and {LONGEST_WAIT_SECONDS:g} s is the longest."
    return replace(error, message=f"{error.message} {why}")
