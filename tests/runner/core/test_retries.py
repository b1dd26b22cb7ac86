"""Failed requests: tried again within bounds, each try a row of its own, all of them paid for."""

from __future__ import annotations

import pytest
from support.play import SECOND, Play, call, fault

from turnwire.protocol.commands import Steer
from turnwire.protocol.events import Notice
from turnwire.protocol.usage import Usage
from turnwire.runner.core.inputs import Waited
from turnwire.runner.core.jobs import Wait
from turnwire.runner.core.retrying import MAX_TRIES


def wait_of(play: Play) -> int:
    (job,) = play.jobs
    assert isinstance(job, Wait)
    return job.until - play.at


def test_A64_a_failed_try_and_the_next_are_two_rows() -> None:
    play = Play().load().fail(fault("bad_stream", usage=Usage(output=2))).wait()
    play.reply("Hello world", usage=Usage(output=3))
    assert play.statuses("t1.r1") == ["running", "failed"]
    assert play.statuses("t1.r2") == ["running", "done"]
    assert play.turn_end.text == "Hello world"
    assert play.turn_end.rounds == 1


def test_A64_S3_usage_of_both_tries_is_counted() -> None:
    play = Play().load().fail(fault(usage=Usage(output=2))).wait().reply("x", usage=Usage(output=3))
    assert play.turn_end.usage == Usage(output=5)
    assert play.finish().usage == Usage(output=5)


def test_A64_nothing_of_a_failed_try_is_in_the_transcript() -> None:
    play = Play().load().fail(fault(partial="Hello wor"))
    assert play.roles == "u"


def test_A64_a_retry_is_told_with_its_wait() -> None:
    play = Play().load().fail(fault())
    notice = play.last(Notice)
    assert notice.code == "retry"
    assert notice.message == "No luck. Trying again in 0.5 s."
    assert notice.data == {"row": "t1.r1", "seconds": 0.5, "code": "overloaded"}


def test_A61_waits_double_until_the_tries_are_used_up() -> None:
    play = Play().load()
    waits = []
    for _ in range(MAX_TRIES - 1):
        waits.append(wait_of(play.fail(fault())))
        play.wait()
    assert waits == [500, 1_000, 2_000]
    assert play.fail(fault()).turn_end.status == "error"
    assert play.finish().exit_code == 3


def test_A62_a_wait_that_would_not_help_is_not_named() -> None:
    play = Play().load().fail(fault(retryable=False, wait_seconds=9_000))
    assert play.turn_end.error.message == "No luck."  # type: ignore[union-attr]


@pytest.mark.parametrize(("seconds", "until"), [(0, 0), (1.5, 1_500), (60, 60 * SECOND)])
def test_A61_the_wait_that_a_provider_names_is_obeyed(seconds: float, until: int) -> None:
    assert wait_of(Play().load().fail(fault(wait_seconds=seconds))) == until


def test_A61_too_long_a_wait_fails_at_once_and_is_named() -> None:
    play = Play().load().fail(fault("rate_limited", wait_seconds=86_400))
    error = play.turn_end.error
    assert error
    assert error.code == "rate_limited"
    assert "86400 s" in error.message
    assert "60 s" in error.message
    assert play.turn_end.error == play.finish().error


def test_A62_what_waiting_does_not_cure_is_not_tried_again() -> None:
    play = Play().load().fail(fault("quota_exhausted", retryable=False, wait_seconds=1.0))
    assert play.turn_end.status == "error"
    assert play.turn_end.error == play.run.last.error  # type: ignore[union-attr]
    assert play.turn_end.error.message == "No luck."  # type: ignore[union-attr]


def test_A62_a_reply_gives_the_next_request_all_its_tries() -> None:
    play = Play().load()
    for _ in range(MAX_TRIES - 1):
        play.fail(fault()).wait()
    play.reply(call()).clear("t1.c1").ran("t1.c1").fail(fault())
    assert wait_of(play) == 500


def test_A61_a_wait_that_is_over_starts_one_try() -> None:
    play = Play().load().fail(fault())
    (wait,) = play.keys
    play.wait()
    assert play.keys == ["t1.r2"]
    assert play.take(Waited(wait)).news == []
    play.fail(fault())
    assert play.take(Waited(wait)).news == []


def test_T18_a_steer_waits_while_a_request_is_tried_again() -> None:
    play = Play().load().fail(fault()).say(Steer(text="faster")).wait()
    assert play.roles == "u"
    assert play.reply("done").roles == "uau"
    assert play.keys == ["t1.r3"]


def test_C6_a_request_that_fails_for_good_leaves_no_trace() -> None:
    play = Play(chat=True).load().reply("one").chat("two").fail(fault(retryable=False))
    assert play.roles == "ua"
    assert play.told()[:2] == ["row", "rewound"]


def test_C6_what_tools_did_before_a_failure_stays() -> None:
    play = Play().load().reply(call()).clear("t1.c1").ran("t1.c1").fail(fault(retryable=False))
    assert play.roles == "uata"
    assert play.turn_end.status == "error"
