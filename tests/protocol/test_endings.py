"""How a run ends and which exit code says so: the whole table, and nothing but a clean done is 0."""

from __future__ import annotations

import itertools

import pytest

from turnwire.protocol.endings import DENIED_IN_ABSENCE, ExitCode, Status, StoppedBy, exit_code
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.people import ClosedBy

OF_ERROR = {
    "usage": 2,
    "session_unwritable": 6,
    "session_in_use": 7,
    "internal": 70,
    "tool_melted": 1,
    None: 1,
}


@pytest.mark.parametrize(
    ("status", "stopped_by", "code"),
    [
        (Status.DONE, None, 0),
        (Status.INCOMPLETE, StoppedBy.MAX_ROUNDS, 5),
        (Status.INTERRUPTED, StoppedBy.INTERRUPT, 130),
        (Status.INTERRUPTED, None, 130),
        (Status.INTERRUPTED, StoppedBy.HANGUP, 129),
        (Status.INTERRUPTED, StoppedBy.TERMINATE, 143),
        (Status.HOST_GONE, None, 74),
        (Status.PENDING, None, 75),
    ],
)
def test_B13_every_status_has_its_exit_code(
    status: Status, stopped_by: StoppedBy | None, code: int
) -> None:
    assert exit_code(status, stopped_by=stopped_by) == code


@pytest.mark.parametrize(("error", "code"), OF_ERROR.items())
def test_B13_every_error_has_its_exit_code(error: str | None, code: int) -> None:
    assert exit_code(Status.ERROR, error=error) == code


def test_B13_all_other_named_errors_are_the_models() -> None:
    for error in set(ErrorCode) - OF_ERROR.keys():
        assert exit_code(Status.ERROR, error=error.value) == 3


def test_P6_done_after_a_denial_in_absence_is_4() -> None:
    assert exit_code(Status.DONE, denied_in_absence=True) == 4
    assert {ClosedBy.NO_ANSWERER, ClosedBy.CHANNEL_LOST, ClosedBy.DEADLINE} == DENIED_IN_ABSENCE


def test_B13_zero_is_nothing_but_a_clean_done() -> None:
    causes = itertools.product(Status, [None, *StoppedBy], [None, "x", *ErrorCode], [False, True])
    for status, stopped_by, error, denied in causes:
        code = exit_code(status, stopped_by=stopped_by, error=error, denied_in_absence=denied)
        assert (code == 0) == (status is Status.DONE and not denied)
        assert code in set(ExitCode)
