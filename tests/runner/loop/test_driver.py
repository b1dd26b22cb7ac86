"""The loop itself: one input, one decision, told before the workers are matched; until the end is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio
import pytest
from support.chance import plain_finding
from support.play import call, hello

from turnwire.protocol.content import Text
from turnwire.protocol.events import End, Settled
from turnwire.protocol.faults import Blame, WireError
from turnwire.runner.core.evolve import evolve
from turnwire.runner.core.inputs import (
    DeltasDropped,
    Failed,
    HostLineRefused,
    Input,
    Loaded,
    ModelEnded,
)
from turnwire.runner.core.jobs import CallModel, Job
from turnwire.runner.core.ports import Finish, ModelReply
from turnwire.runner.core.state import Run
from turnwire.runner.loop.driver import Driver
from turnwire.runner.loop.flood import UNREAD_REFUSALS, FloodGate
from turnwire.runner.loop.inbox import Inbox

GO = Loaded(prompt="go", model="m", tools=())
FULL = WireError(code="session_unwritable", message="The disk is full.", fault=Blame.HOST)


class Book:
    """A journal in memory, which answers with what is in ``follows``, once each."""

    def __init__(self, *follows: Input) -> None:
        self.events: list[Settled] = []
        self.follows = list(follows)
        self.waits = 0

    def record(self, events: Sequence[Settled]) -> Input | None:
        self.events.extend(events)
        return self.follows.pop(0) if events and self.follows else None

    async def room(self) -> None:
        self.waits += 1

    @property
    def types(self) -> list[str]:
        return [str(event.__struct_config__.tag) for event in self.events]


class Loop:
    """A driver with everything round it; ``hand`` says what comes of each new job."""

    def __init__(self, book: Book, *, unread: int = 0) -> None:
        self.book = book
        self.inbox = Inbox()
        self.driver = Driver(
            evolve(Run(), hello()),
            self.inbox,
            journal=book,
            gate=FloodGate(lambda: unread),
            room=book.room,
            now=lambda: 7,
        )
        self.seen: set[str] = set()
        self.matched: list[list[str]] = []

    async def run(self, hand: Callable[[Job], Input] = plain_finding) -> End:
        def match(jobs: list[Job]) -> None:
            self.matched.append([job.key for job in jobs])
            for job in jobs:
                if job.key not in self.seen:
                    self.seen.add(job.key)
                    self.inbox.put(hand(job))

        with anyio.fail_after(5):
            await self.driver.drive(match)
        end = self.book.events[-1]
        assert isinstance(end, End)
        return end


async def test_T1_a_run_is_driven_to_its_end() -> None:
    loop = Loop(Book())
    loop.inbox.put(GO)

    def once_a_call(job: Job) -> Input:
        if isinstance(job, CallModel) and job.key == "t1.r1":
            reply = ModelReply((Text(text="let me look"), call()), Finish.STOP)
            return ModelEnded(job.key, reply)
        return plain_finding(job)

    assert (await loop.run(once_a_call)).exit_code == 0
    assert loop.matched == [
        [],
        ["t1.r1"],
        ["t1.c1.review"],
        ["t1.c1"],
        ["t1.r2"],
        ["catch-up"],
        [],
    ]
    assert loop.book.waits == len(loop.matched) - 1


async def test_every_event_bears_the_time_of_its_input() -> None:
    loop = Loop(Book())
    loop.inbox.put(GO)
    await loop.run()
    assert {event.at for event in loop.book.events} == {7}


async def test_what_is_not_logged_ends_the_run_at_once() -> None:
    loop = Loop(Book(Failed(FULL)))
    loop.inbox.put(GO)
    assert (await loop.run()).exit_code == 6
    assert loop.seen == set()


async def test_what_follows_from_telling_is_told_too() -> None:
    loop = Loop(Book(DeltasDropped(3)))
    loop.inbox.put(GO)
    await loop.run()
    assert "notice" in loop.book.types


async def test_a_flood_is_covered_before_the_end() -> None:
    loop = Loop(Book(), unread=UNREAD_REFUSALS)
    loop.inbox.put(GO)
    for line in range(1, 100):
        loop.inbox.put(HostLineRefused(line, "malformed", "no JSON"))  # type: ignore[arg-type]
    await loop.run()
    assert loop.book.types.count("refused") == 1


@pytest.mark.parametrize("late", [DeltasDropped(1), GO])
async def test_after_the_end_nothing_more_is_taken(late: Input) -> None:
    loop = Loop(Book())
    for received in (Failed(FULL), late):
        loop.inbox.put(received)
    await loop.run()
    assert loop.book.types == ["end"]
    with anyio.fail_after(5):
        assert await loop.inbox.take() == late
