"""Waiting for the reader of stdout, and no longer waiting for it."""

from __future__ import annotations

import anyio

from turnwire.runner.loop.patience import SHORT_SECONDS, Patience


class Sleeper:
    """A reader who takes nothing until ``wakes`` is set."""

    def __init__(self) -> None:
        self.wakes = anyio.Event()

    async def drained(self) -> None:
        await self.wakes.wait()

    async def room(self) -> None:
        await self.wakes.wait()


async def test_a_reader_that_reads_is_waited_for() -> None:
    reader = Sleeper()
    patience = Patience(reader)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(patience.drained)
            tasks.start_soon(patience.room)
            reader.wakes.set()


async def test_B20_a_sleeping_reader_is_left_after_a_signal() -> None:
    patience = Patience(Sleeper())
    with anyio.fail_after(SHORT_SECONDS + 5):
        async with anyio.create_task_group() as tasks:
            for wait in (patience.drained, patience.drained, patience.room):
                tasks.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            patience.lose()
            patience.lose()
        # What was lost stays lost.
        await patience.drained()
        await patience.room()
