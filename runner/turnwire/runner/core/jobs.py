"""What is still to do, as data: one job, one worker.

A job's ``key`` is unique among the pending ones. The loop starts a worker for a key that has none, and stops
the worker of a job whose ``stop`` is set or that is no longer pending.
"""

from __future__ import annotations

import msgspec

from turnwire.protocol.events import HumanRequest
from turnwire.protocol.messages import TranscriptMessage

__all__ = [
    "CATCH_UP_KEY",
    "AskPerson",
    "CallModel",
    "CatchUp",
    "CheckCompletion",
    "Job",
    "Review",
    "RunTool",
    "Wait",
    "WatchDeadline",
    "review_key",
]

CATCH_UP_KEY = "catch-up"
"""Key of the one job of its kind."""


def review_key(call: str) -> str:
    """Give the key of the review of ``call``; the call's own id is the key of running it."""
    return f"{call}.review"


class Job(msgspec.Struct, frozen=True):
    """One thing to do. With ``stop`` set, the only thing left to do is to end it and say how it ended."""

    key: str
    stop: bool = False


class CallModel(Job, frozen=True, kw_only=True):
    """Make one model request with this transcript; its row is ``key``."""

    messages: tuple[TranscriptMessage, ...]


class Wait(Job, frozen=True, kw_only=True):
    """Wait until ``until`` (milliseconds since the epoch) before the next try of a model request."""

    until: int


class Review(Job, frozen=True, kw_only=True):
    """May this call run? ``arguments`` is the compact JSON that the digest is of; ``invalid`` says what was
    wrong with what the model wrote, if anything.
    """

    call: str
    turn: str
    name: str
    arguments: bytes
    digest: str
    invalid: str | None = None


class AskPerson(Job, frozen=True, kw_only=True):
    """Put an open request to a person; its id is ``key``."""

    request: HumanRequest


class RunTool(Job, frozen=True, kw_only=True):
    """Run a call; its row is ``key``. ``arguments`` is the compact JSON that was reviewed."""

    turn: str
    name: str
    arguments: bytes


class CheckCompletion(Job, frozen=True, kw_only=True):
    """Is the work of the turn done? Its row is ``key``; ``attempt`` counts from 1."""

    turn: str
    attempt: int


class WatchDeadline(Job, frozen=True, kw_only=True):
    """Say when ``until`` (milliseconds since the epoch) has passed."""

    until: int


class CatchUp(Job, frozen=True, kw_only=True):
    """Wait until the reader of stdout has all that was told so far."""
