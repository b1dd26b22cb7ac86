"""Waiting for the reader of stdout, and no longer waiting for it."""

from __future__ import annotations

import anyio

from turnwire.runner.loop.patience import SHORT_SECONDS, Patience


async def test_a_reader_that_reads_is_waited_for() -> None:
    read = anyio.Event()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Patience(read.wait).drained)
            read.set()


async def test_B20_a_sleeping_reader_is_left_after_a_signal() -> None:
    patience = Patience(anyio.Event().wait)
    with anyio.fail_after(SHORT_SECONDS + 5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(patience.drained)
            tasks.start_soon(patience.drained)
            await anyio.lowlevel.checkpoint()
            patience.lose()
            patience.lose()
        # What was lost stays lost.
        await patience.drained()
