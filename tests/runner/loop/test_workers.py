"""Workers are those of the pending jobs: started, stopped, let go, and never heard after that."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import anyio
import pytest
from support.play import tool_ended

from turnwire.protocol.rows import Port
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Cleared, Input, Remarked, ToolEnded
from turnwire.runner.core.jobs import Job, Review, RunTool, review_key
from turnwire.runner.core.ports import ToolEnd
from turnwire.runner.loop.workers import Worker, Workers


def tool(key: str = "t1.c1", *, stop: bool = False) -> RunTool:
    return RunTool(key=key, stop=stop, turn="t1", name="read", arguments=b"{}")


class Shop:
    """Hands of tools that wait to be released, and all that they said."""

    def __init__(self) -> None:
        self.put: list[Input] = []
        self.told: list[tuple[str, Port, str, int | None]] = []
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.desks: dict[str, Desk] = {}
        self.release = anyio.Event()
        self.heard = anyio.Event()

    def hear(self, finding: Input) -> None:
        self.put.append(finding)
        self.heard.set()

    def tell(self, row: str, port: Port, text: str, index: int | None) -> None:
        self.told.append((row, port, text, index))

    async def run(self, job: RunTool, desk: Desk) -> Input:
        self.started.append(job.key)
        self.desks[job.key] = desk
        desk.stopped(tool_ended(job.key, "stopped", ToolEnd.CANCELLED))
        try:
            await self.release.wait()
        except BaseException:
            self.cancelled.append(job.key)
            raise
        return tool_ended(job.key)

    @asynccontextmanager
    async def open(
        self, hands: Mapping[type[Job], Worker] | None = None
    ) -> AsyncGenerator[Workers]:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                yield Workers(tasks, self.hear, hands or {RunTool: self.run}, self.tell)
                await anyio.wait_all_tasks_blocked()
                tasks.cancel_scope.cancel()


@pytest.fixture
def shop() -> Shop:
    return Shop()


async def test_each_job_has_one_worker_however_often_it_is_offered(shop: Shop) -> None:
    async with shop.open() as workers:
        for _ in range(3):
            workers.match([tool("t1.c1"), tool("t1.c2")])
            await anyio.wait_all_tasks_blocked()
        assert shop.started == ["t1.c1", "t1.c2"]


async def test_what_a_worker_finds_is_put_in_once(shop: Shop) -> None:
    async with shop.open() as workers:
        workers.match([tool()])
        shop.release.set()
        await anyio.wait_all_tasks_blocked()
        workers.match([tool()])
        workers.match([])
    assert shop.put == [tool_ended("t1.c1")]


async def test_a_worker_without_waits_is_done_at_once(shop: Shop) -> None:
    def review(job: Review, desk: Desk) -> Input:
        return Cleared(job.call)

    job = Review(key=review_key("c"), call="c", turn="t1", name="read", arguments=b"{}", digest="")
    async with shop.open({Review: review}) as workers:
        workers.match([job])
        assert shop.put == [Cleared("c")]
        workers.match([job])
        workers.match([])
    assert shop.put == [Cleared("c")]


async def test_T19_a_stopped_worker_says_how_it_ended(shop: Shop) -> None:
    async with shop.open() as workers:
        workers.match([tool()])
        await anyio.wait_all_tasks_blocked()
        for _ in range(2):
            workers.match([tool(stop=True)])
            await shop.heard.wait()
    assert shop.cancelled == ["t1.c1"]
    assert shop.put == [tool_ended("t1.c1", "stopped", ToolEnd.CANCELLED)]


async def test_T19_a_worker_that_was_stopped_before_it_began_speaks(shop: Shop) -> None:
    async with shop.open() as workers:
        workers.match([tool()])
        workers.match([tool(stop=True)])
        await shop.heard.wait()
    assert [type(one) for one in shop.put] == [ToolEnded]


async def test_T19_a_worker_that_finishes_in_spite_of_the_stop_counts(shop: Shop) -> None:
    async def stubborn(job: RunTool, desk: Desk) -> Input:
        with anyio.CancelScope(shield=True):
            await shop.release.wait()
        return tool_ended(job.key, "done all the same")

    async with shop.open({RunTool: stubborn}) as workers:
        workers.match([tool()])
        await anyio.wait_all_tasks_blocked()
        workers.match([tool(stop=True)])
        shop.release.set()
        await shop.heard.wait()
    assert shop.put == [tool_ended("t1.c1", "done all the same")]


async def test_a_worker_that_is_let_go_is_not_heard(shop: Shop) -> None:
    async with shop.open() as workers:
        workers.match([tool()])
        await anyio.wait_all_tasks_blocked()
        workers.match([])
        await anyio.wait_all_tasks_blocked()
        desk = shop.desks["t1.c1"]
        desk.delta(Port.OUTPUT, "late")
        desk.notice("late", "Late.")
    assert shop.cancelled == ["t1.c1"]
    assert shop.put == []
    assert shop.told == []


async def test_S1_deltas_are_told_on_the_row_of_their_job(shop: Shop) -> None:
    async with shop.open() as workers:
        workers.match([tool()])
        await anyio.wait_all_tasks_blocked()
        shop.desks["t1.c1"].delta(Port.ARGUMENTS, "{", 2)
        shop.desks["t1.c1"].notice("slow", "It is slow.")
    assert shop.told == [("t1.c1", Port.ARGUMENTS, "{", 2)]
    assert shop.put == [Remarked("slow", "It is slow.")]


async def test_T19_after_a_stop_no_delta_is_told(shop: Shop) -> None:
    async with shop.open() as workers:
        workers.match([tool()])
        await anyio.wait_all_tasks_blocked()
        workers.match([tool(stop=True)])
        shop.desks["t1.c1"].delta(Port.OUTPUT, "late")
    assert shop.told == []


async def test_a_worker_without_last_words_leaves_none(shop: Shop) -> None:
    async def mute(job: RunTool, desk: Desk) -> Input:
        await anyio.sleep_forever()
        raise AssertionError

    async with shop.open({RunTool: mute}) as workers:
        workers.match([tool()])
        await anyio.wait_all_tasks_blocked()
        workers.match([tool(stop=True)])
    assert shop.put == []


async def test_what_a_worker_raises_is_our_bug_and_comes_out(shop: Shop) -> None:
    async def broken(job: RunTool, desk: Desk) -> Input:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        async with shop.open({RunTool: broken}) as workers:
            workers.match([tool()])
    assert caught.group_contains(ZeroDivisionError)
