"""Back-pressure by bytes, in the queue of either direction."""

from __future__ import annotations

import anyio
import pytest

from turnwire.hosts.client.mailbox import Closed, Mailbox


async def test_a_full_mailbox_makes_the_putter_wait() -> None:
    mailbox: Mailbox[str] = Mailbox(10)
    await mailbox.put("a", 6)
    async with anyio.create_task_group() as group:
        group.start_soon(mailbox.put, "b", 6)
        await anyio.wait_all_tasks_blocked()
        assert len(mailbox) == 1
        assert await mailbox.take() == "a"
        with anyio.fail_after(5):
            assert await mailbox.take() == "b"


async def test_one_item_fits_however_large_it_is() -> None:
    mailbox: Mailbox[str] = Mailbox(10)
    with anyio.fail_after(5):
        await mailbox.put("a", 1000)
        assert await mailbox.take() == "a"


async def test_a_closed_mailbox_can_still_be_emptied() -> None:
    mailbox: Mailbox[str] = Mailbox(10)
    await mailbox.put("a", 1)
    mailbox.close()
    assert await mailbox.take() == "a"
    with pytest.raises(Closed):
        await mailbox.take()
    with pytest.raises(Closed):
        await mailbox.put("b", 1)


async def test_closing_wakes_whoever_waits() -> None:
    async def wait(action: str) -> None:
        with pytest.raises(Closed):
            await (full.put("b", 10) if action == "put" else empty.take())
        woken.append(action)

    full: Mailbox[str] = Mailbox(10)
    empty: Mailbox[str] = Mailbox(10)
    woken: list[str] = []
    await full.put("a", 10)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(wait, "put")
            group.start_soon(wait, "take")
            await anyio.wait_all_tasks_blocked()
            full.close()
            empty.close()
    assert sorted(woken) == ["put", "take"]


async def test_a_cleared_mailbox_has_room_again() -> None:
    mailbox: Mailbox[str] = Mailbox(10)
    await mailbox.put("a", 10)
    mailbox.clear()
    with anyio.fail_after(5):
        await mailbox.put("b", 10)
        assert await mailbox.take() == "b"
