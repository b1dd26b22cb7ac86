"""How turns and runs end: the closed vocabulary of results and the exit code of each.

Pure tables; spec/exit-codes.md is the prose of this module.
"""

from __future__ import annotations

import enum

from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.people import ClosedBy

__all__ = ["DENIED_IN_ABSENCE", "ExitCode", "Status", "StoppedBy", "exit_code"]


class Status(enum.StrEnum):
    """How a turn or a run ended."""

    DONE = "done"
    """The model finished, and nothing stopped it."""
    PENDING = "pending"
    """Suspended: a person is needed and there is none."""
    INCOMPLETE = "incomplete"
    """A limit stopped it; ``stopped_by`` names the limit."""
    INTERRUPTED = "interrupted"
    """A person, a signal or the host stopped it."""
    ERROR = "error"
    """It failed; ``error`` says how."""
    HOST_GONE = "host_gone"
    """The reader of stdout hung up or stalled."""


class StoppedBy(enum.StrEnum):
    """What stopped a turn that is ``incomplete``, or which signal ended a run that is ``interrupted``."""

    MAX_ROUNDS = "max_rounds"
    """Model requests."""
    MAX_TOKENS = "max_tokens"
    """Tokens, as the provider reports them."""
    MAX_TOOL_CALLS = "max_tool_calls"
    """Calls that were run."""
    MAX_SECONDS = "max_seconds"
    """Time, waits for a person not counted."""
    MAX_COST = "max_cost"
    """Money."""
    MAX_CHILDREN = "max_children"
    """Nested agents."""
    COMPLETION = "completion"
    """The completion gate did not pass."""
    STUCK = "stuck"
    """The same call with the same result, again and again."""
    CONTEXT = "context"
    """The newest turn alone is too long for the model."""
    OUTPUT_LIMIT = "output_limit"
    """The provider cut the answer at its output limit."""
    CONTENT_FILTER = "content_filter"
    """The provider's filter."""
    REFUSAL = "refusal"
    """The model refused."""
    PERSON = "person"
    """An answer with ``stop``."""
    INTERRUPT = "interrupt"
    """An ``interrupt`` line, or SIGINT."""
    HANGUP = "hangup"
    """SIGHUP."""
    TERMINATE = "terminate"
    """SIGTERM."""


class ExitCode(enum.IntEnum):
    """Exit codes of the child."""

    DONE = 0
    """A clean ``done``, and nothing else."""
    ERROR = 1
    """Any other error."""
    USAGE = 2
    """Usage or configuration."""
    MODEL = 3
    """Model, network or key."""
    DENIED_IN_ABSENCE = 4
    """Done, but a request was closed by no_answerer, channel_lost or deadline."""
    INCOMPLETE = 5
    """A limit stopped it."""
    SESSION_UNWRITABLE = 6
    """The session could not be written."""
    SESSION_IN_USE = 7
    """The session is in use."""
    INTERNAL = 70
    """Our own bug (EX_SOFTWARE of sysexits.h)."""
    HOST_GONE = 74
    """The reader of stdout is gone (EX_IOERR)."""
    PENDING = 75
    """Suspended (EX_TEMPFAIL)."""
    HANGUP = 129
    """SIGHUP, 128 + 1."""
    INTERRUPT = 130
    """Interrupted, 128 + 2."""
    TERMINATE = 143
    """SIGTERM, 128 + 15."""


DENIED_IN_ABSENCE = frozenset({ClosedBy.NO_ANSWERER, ClosedBy.CHANNEL_LOST, ClosedBy.DEADLINE})
"""A request closed by one of these turns exit 0 into exit 4."""

_OF_ERROR = {
    ErrorCode.USAGE: ExitCode.USAGE,
    ErrorCode.SESSION_UNWRITABLE: ExitCode.SESSION_UNWRITABLE,
    ErrorCode.SESSION_IN_USE: ExitCode.SESSION_IN_USE,
    ErrorCode.INTERNAL: ExitCode.INTERNAL,
}
_MODEL_ERRORS = frozenset(
    {
        ErrorCode.KEY_MISSING,
        ErrorCode.UNAUTHORIZED,
        ErrorCode.UNREACHABLE,
        ErrorCode.RATE_LIMITED,
        ErrorCode.QUOTA_EXHAUSTED,
        ErrorCode.OVERLOADED,
        ErrorCode.BAD_REQUEST,
        ErrorCode.CONTEXT_LENGTH,
        ErrorCode.SERVER_ERROR,
        ErrorCode.BAD_STREAM,
        ErrorCode.TIMED_OUT,
        ErrorCode.NO_ANSWER,
        ErrorCode.MODEL_UNAVAILABLE,
    }
)
_OF_STATUS = {
    Status.INCOMPLETE: ExitCode.INCOMPLETE,
    Status.HOST_GONE: ExitCode.HOST_GONE,
    Status.PENDING: ExitCode.PENDING,
}
_OF_SIGNAL = {StoppedBy.HANGUP: ExitCode.HANGUP, StoppedBy.TERMINATE: ExitCode.TERMINATE}


def exit_code(
    status: Status,
    *,
    stopped_by: StoppedBy | None = None,
    error: str | None = None,
    denied_in_absence: bool = False,
) -> ExitCode:
    """Give the exit code of a run.

    ``error`` is the ``code`` of the error where ``status`` is ``error``; ``denied_in_absence`` says that a
    request was closed by one of :data:`DENIED_IN_ABSENCE`.
    """
    if status is Status.DONE:
        return ExitCode.DENIED_IN_ABSENCE if denied_in_absence else ExitCode.DONE
    if status is Status.INTERRUPTED:
        return _OF_SIGNAL.get(stopped_by or StoppedBy.INTERRUPT, ExitCode.INTERRUPT)
    if status is Status.ERROR:
        if error in _MODEL_ERRORS:
            return ExitCode.MODEL
        return next((code for name, code in _OF_ERROR.items() if name == error), ExitCode.ERROR)
    return _OF_STATUS[status]
