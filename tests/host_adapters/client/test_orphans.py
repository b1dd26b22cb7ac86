"""However the host's code leaves, nothing of the child's process group is left."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import anyio
import pytest

from turnwire.hosts.client import Bounds, Options, connect
from turnwire.protocol.commands import Answer
from turnwire.protocol.people import HumanRequest

Fake = Callable[..., Options]

FAMILY = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
hold()
subprocess.Popen(["sleep", "60"], close_fds=False)
notice("family"); ask("h"); signal.pause()
"""
"""A child that ignores TERM, and a grandchild in its group."""


async def take_family(child: Any) -> None:
    for _ in range(2):
        await child.next_event()


async def test_B17_leaving_early_ends_the_whole_group(fake: Fake, lifeline: Any) -> None:
    with anyio.fail_after(20):
        async with connect(fake(FAMILY)) as child:
            await take_family(child)
            assert lifeline.is_held()
        await lifeline.cut()


async def test_the_hosts_own_error_comes_out_bare(fake: Fake, lifeline: Any) -> None:
    cause = KeyError("cause")

    async def fail() -> None:
        async with connect(fake(FAMILY)) as child:
            await take_family(child)
            raise ValueError("host") from cause

    with anyio.fail_after(20):
        with pytest.raises(ValueError, match="host") as caught:
            await fail()
        assert caught.value.__cause__ is cause
        await lifeline.cut()


async def test_cancellation_passes_through_and_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    with anyio.fail_after(20):
        with anyio.CancelScope() as scope:
            async with connect(fake(FAMILY)) as child:
                await take_family(child)
                scope.cancel()
                await child.wait()
        assert scope.cancelled_caught
        await lifeline.cut()


async def test_a_deadline_of_the_host_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    with anyio.fail_after(20):
        with pytest.raises(TimeoutError), anyio.fail_after(0.5):
            async with connect(fake(FAMILY)) as child:
                await child.wait()
        await lifeline.cut()


async def test_a_callback_that_raises_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    async def ask(request: HumanRequest) -> Answer | None:
        raise LookupError(request.id)

    with anyio.fail_after(20):
        with pytest.raises(LookupError, match="h"):
            async with connect(fake(FAMILY), on_request=ask) as child:
                await child.wait()
        await lifeline.cut()


async def test_errors_of_body_and_callback_come_out_together(fake: Fake) -> None:
    async def ask(request: HumanRequest) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise KeyError(request.id)

    async def fail() -> None:
        async with connect(fake("ask('h'); signal.pause()"), on_request=ask) as child:
            await child.next_event()
            await anyio.wait_all_tasks_blocked()
            raise ValueError("host")

    with anyio.fail_after(20):
        with pytest.raises(ExceptionGroup) as caught:
            await fail()
    assert {type(error) for error in caught.value.exceptions} == {ValueError, KeyError}


async def test_leaving_a_flood_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    script = "signal.signal(signal.SIGTERM, signal.SIG_IGN); hold()\nwhile True: notice('x' * 999)"
    with anyio.fail_after(20):
        async with connect(fake(script)) as child:
            for _ in range(10):
                await child.next_event()
        await lifeline.cut()


async def test_a_stderr_listener_that_raises_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    def listen(text: str) -> None:
        raise LookupError(text)

    script = FAMILY.replace("notice(", "os.write(2, b'words'); notice(")
    with anyio.fail_after(20):
        with pytest.raises(LookupError, match="words"):
            async with connect(fake(script), on_stderr=listen) as child:
                await child.wait()
        await lifeline.cut()


async def test_a_leader_that_dies_takes_its_group_along(fake: Fake, lifeline: Any) -> None:
    script = FAMILY.replace("signal.pause()", "os.kill(os.getpid(), signal.SIGKILL)")
    hasty = Bounds(linger_seconds=0.3)
    with anyio.fail_after(20):
        async with connect(fake(script, bounds=hasty)) as child:
            ending = await child.wait()
            await lifeline.cut()
    assert ending.exit_code == 137


async def test_sixty_children_leave_no_descriptor_behind(fake: Fake) -> None:
    async def one() -> None:
        async with connect(fake("notice('a'); end()")) as child:
            endings.append(await child.wait())

    endings: list[Any] = []
    with anyio.fail_after(50):
        await one()
        before, threads = len(os.listdir("/dev/fd")), threading.active_count()
        async with anyio.create_task_group() as group:
            for _ in range(59):
                group.start_soon(one)
    assert [ending.fault_count for ending in endings] == [0] * 60
    assert len(os.listdir("/dev/fd")) == before
    assert threading.active_count() <= threads


HOST = """
import sys, anyio
from turnwire.hosts.client import *
async def main():
    async with connect(Options(command=(sys.executable, "-c", sys.argv[1]))) as child:
        await child.next_event()
        print("taken", flush=True)
        await child.wait()
anyio.run(main)
"""
CHILD = """
import json, os, sys
fd = int(sys.argv[sys.argv.index("--answers-fd") + 1])
os.set_inheritable(os.open(os.environ["LIFELINE"], os.O_WRONLY), True)
print(json.dumps({"type": "notice", "seq": 1, "at": 0, "level": "info", "code": "c",
                  "message": ""}), flush=True)
os.read(fd, 1)
"""


async def test_B17_a_killed_host_closes_the_answers_channel(tmp_path: Any, lifeline: Any) -> None:
    environment = {**os.environ, "LIFELINE": str(tmp_path / "lifeline")}
    command = [sys.executable, "-c", dedent(HOST), CHILD]
    popen = functools.partial(subprocess.Popen, stdout=subprocess.PIPE, env=environment)
    with popen(command) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"taken\n"
        assert lifeline.is_held()
        host.send_signal(signal.SIGKILL)
    await lifeline.cut()
