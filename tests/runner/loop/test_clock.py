"""The run's one clock, and the workers that only wait."""

from __future__ import annotations

import time

import anyio
from hypothesis import given
from hypothesis import strategies as st

from turnwire.runner.core.inputs import DeadlinePassed, Finding, Input, ReaderCaughtUp, Waited
from turnwire.runner.core.jobs import CatchUp, Wait, WatchDeadline
from turnwire.runner.loop.clock import Clock
from turnwire.runner.loop.timers import Timers
from turnwire.runner.loop.workers import WorkersDesk


def desk() -> WorkersDesk:
    def told(*words: object) -> None:
        raise AssertionError("a wait has nothing to tell")

    return WorkersDesk("x", told, told)


def timers(clock: Clock) -> Timers:
    return Timers(clock, anyio.lowlevel.checkpoint)


def test_the_clock_tells_milliseconds_since_the_epoch() -> None:
    clock = Clock()
    assert abs(clock.at() - time.time() * 1_000) < 1_000
    assert clock.at() <= clock.at()


@given(st.integers(-(10**6), 10**6))
def test_seconds_until_are_never_negative(milliseconds: int) -> None:
    clock = Clock()
    left = clock.seconds_until(clock.at() + milliseconds)
    assert max(0, milliseconds) - 100 <= left * 1_000 <= max(0, milliseconds) + 1


async def test_U6_a_deadline_is_told_when_it_has_passed() -> None:
    clock = Clock()
    until = clock.at() + 30
    job = WatchDeadline(key="t1.deadline", until=until)
    with anyio.fail_after(5):
        assert await timers(clock).watch_deadline(job, desk()) == DeadlinePassed("t1.deadline")
    assert clock.at() >= until - 1


async def test_A61_a_wait_that_has_passed_is_over_at_once() -> None:
    job = Wait(key="t1.wait", until=0)
    with anyio.fail_after(5):
        assert await timers(Clock()).wait(job, desk()) == Waited("t1.wait")


async def test_A61_a_wait_can_be_cancelled() -> None:
    clock = Clock()
    with anyio.move_on_after(0) as scope:
        await timers(clock).wait(Wait(key="t1.wait", until=clock.at() + 60_000), desk())
    assert scope.cancelled_caught


async def test_the_end_waits_for_the_reader() -> None:
    read = anyio.Event()
    said: list[Input] = []

    async def catch_up() -> None:
        job = CatchUp(key="catch-up")
        said.append(await Timers(Clock(), read.wait).catch_up(job, desk()))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(catch_up)
            await anyio.wait_all_tasks_blocked()
            assert said == []
            read.set()
    (finding,) = said
    assert isinstance(finding, Finding)
    assert finding == ReaderCaughtUp()
