"""The inbox: what is put in comes out, in order, and putting never waits."""

from __future__ import annotations

import anyio
import pytest

from turnwire.runner.core.inputs import DeltasDropped
from turnwire.runner.loop.inbox import Inbox


async def test_inputs_come_out_in_the_order_they_came() -> None:
    inbox = Inbox()
    for count in range(5):
        inbox.put(DeltasDropped(count))
    with anyio.fail_after(5):
        assert [await inbox.take() for _ in range(5)] == [DeltasDropped(n) for n in range(5)]


async def test_taking_waits_until_something_comes() -> None:
    inbox = Inbox()
    taken: list[object] = []

    async def take_two() -> None:
        taken.append(await inbox.take())
        taken.append(await inbox.take())

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(take_two)
            await anyio.wait_all_tasks_blocked()
            assert taken == []
            inbox.put(DeltasDropped(1))
            await anyio.wait_all_tasks_blocked()
            assert taken == [DeltasDropped(1)]
            inbox.put(DeltasDropped(2))
    assert taken == [DeltasDropped(1), DeltasDropped(2)]


async def test_a_reader_that_was_cancelled_loses_nothing() -> None:
    inbox = Inbox()
    with anyio.move_on_after(0):
        await inbox.take()
    inbox.put(DeltasDropped(1))
    with anyio.fail_after(5):
        assert await inbox.take() == DeltasDropped(1)


@pytest.mark.parametrize("count", [100_000])
async def test_B28_a_flood_is_taken_in_without_waiting(count: int) -> None:
    inbox = Inbox()
    with anyio.fail_after(5):
        for number in range(count):
            inbox.put(DeltasDropped(number))
        assert (await inbox.take()) == DeltasDropped(0)
