"""However a child refuses to go, the wait for it has an end and the reason has a name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import anyio
import pytest

from turnwire.hosts.client import Bounds, Ending, FaultCode, Options, connect
from turnwire.protocol.endings import Status
from turnwire.protocol.events import Notice
from turnwire.protocol.people import Action

Fake = Callable[..., Options]

HASTY = Bounds(linger_seconds=0.3, grace_seconds=0.5)
"""For children that are waited for in vain."""


async def ending_of(options: Options) -> Ending:
    with anyio.fail_after(20):
        async with connect(options) as child:
            return await child.wait()


def codes(ending: Ending) -> list[FaultCode]:
    return [fault.code for fault in ending.faults]


async def test_B11_a_child_that_outlives_its_end_is_stopped(fake: Fake) -> None:
    ending = await ending_of(fake("end(143); signal.pause()", bounds=HASTY))
    assert (ending.status, ending.exit_code) == (Status.DONE, 143)
    assert codes(ending) == [FaultCode.LINGERED]


async def test_a_child_that_closes_stdout_but_lives_is_stopped(fake: Fake) -> None:
    ending = await ending_of(fake("end(143); os.close(1); signal.pause()", bounds=HASTY))
    assert codes(ending) == [FaultCode.LINGERED]


async def test_a_child_that_ignores_term_is_killed(fake: Fake) -> None:
    script = "signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(1); signal.pause()"
    ending = await ending_of(fake(script, bounds=HASTY))
    assert ending.exit_code == 137
    assert codes(ending) == [FaultCode.NO_END, FaultCode.LINGERED, FaultCode.KILLED]


async def test_a_child_that_ignores_term_and_floods_is_killed(fake: Fake) -> None:
    script = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        notice("x" * 1000)
    """
    with anyio.fail_after(20):
        async with connect(fake(script)) as child:
            await child.next_event()
            child.stop()
            ending = await child.wait()
    assert ending.exit_code == 137


async def test_silence_is_bounded_where_it_is_asked_for(fake: Fake) -> None:
    options = fake("notice('a'); signal.pause()", bounds=Bounds(silence_seconds=0.3))
    ending = await ending_of(options)
    assert ending.exit_code == 143
    assert codes(ending) == [FaultCode.SILENT, FaultCode.NO_END]


async def test_waiting_for_a_person_is_no_silence(fake: Fake) -> None:
    script = "ask('h'); lines().readline(); closed('h', 'human'); end()"
    options = fake(script, bounds=Bounds(silence_seconds=1))
    with anyio.fail_after(20):
        async with connect(options) as child:
            await child.next_event()
            with anyio.move_on_after(1.3):
                await child.next_event()
            await child.answer("h", Action.ACCEPT)
            ending = await child.wait()
    assert (ending.exit_code, ending.fault_count) == (0, 0)


async def test_what_a_stopped_child_still_says_is_read(fake: Fake) -> None:
    script = """
    def stop(number, frame):
        notice("stopping"); end(143); os._exit(143)
    signal.signal(signal.SIGTERM, stop)
    notice("ready"); signal.pause()
    """
    with anyio.fail_after(20):
        async with connect(fake(script, bounds=Bounds())) as child:
            await child.next_event()
            child.stop()
            said = [event.message async for event in child.events() if isinstance(event, Notice)]
            ending = await child.wait()
    assert said == ["stopping"]
    assert (ending.exit_code, ending.fault_count) == (143, 0)


async def test_B19_stdout_held_open_by_a_stranger_is_left(fake: Fake) -> None:
    script = """
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    notice(str(stranger.pid)); end()
    """
    with anyio.fail_after(20):
        async with connect(fake(script, bounds=HASTY)) as child:
            event = await child.next_event()
            ending = await child.wait()
    assert isinstance(event, Notice)
    os.kill(int(event.message), signal.SIGKILL)
    assert codes(ending) == [FaultCode.HELD_OPEN]


async def test_a_stranger_that_floods_stdout_is_left_too(fake: Fake) -> None:
    script = """
    stranger = subprocess.Popen(["yes"], start_new_session=True)
    notice(str(stranger.pid)); os._exit(0)
    """
    with anyio.fail_after(20):
        async with connect(fake(script)) as child:
            notices = [event async for event in child.events() if isinstance(event, Notice)]
            ending = await child.wait()
    os.kill(int(notices[0].message), signal.SIGKILL)
    assert FaultCode.NO_END in codes(ending) or ending.fault_count > 100


@pytest.mark.parametrize("missing", [("pidfd_open",), ("pidfd_open", "waitid")])
async def test_systems_without_process_descriptors_wait_too(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]
) -> None:
    for name in missing:
        monkeypatch.delattr(os, name)
    ending = await ending_of(fake("notice('a'); end(7); os._exit(7)"))
    assert (ending.exit_code, ending.fault_count) == (7, 0)


IGNORANT_HOST = """
import signal, sys, anyio
from turnwire.hosts.client import *
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
async def main():
    async with connect(Options(command=(sys.executable, "-c", sys.argv[1]))) as child:
        print((await child.wait()).exit_code)
anyio.run(main)
"""


def test_a_host_that_ignores_sigchld_trusts_the_end_line(fake: Fake) -> None:
    script = fake("end(5); os._exit(5)").command[-1]
    command = [sys.executable, "-c", IGNORANT_HOST, script]
    host = subprocess.run(command, capture_output=True, timeout=30, check=False)
    assert (host.stdout, host.stderr) == (b"5\n", b"")


async def test_a_host_that_takes_nothing_slows_the_child_only(fake: Fake) -> None:
    script = """
    for number in range(3000):
        notice("x" * 1000, number)
    end()
    """
    options = fake(script, bounds=Bounds(waiting_bytes=10_000))
    with anyio.fail_after(20):
        async with connect(options) as child:
            for _ in range(20):
                await child.next_event()
                await anyio.wait_all_tasks_blocked()
            count = len([event async for event in child.events()])
            ending = await child.wait()
    assert (count, ending.fault_count) == (2981, 0)


async def test_waiting_goes_through_events_that_nobody_takes(fake: Fake) -> None:
    script = "[notice('x' * 1000) for _ in range(3000)]; end()"
    ending = await ending_of(fake(script, bounds=Bounds(waiting_bytes=10_000)))
    assert (ending.status, ending.fault_count) == (Status.DONE, 0)


async def test_waiting_leaves_events_to_a_living_iterator(fake: Fake) -> None:
    taken: list[object] = []

    async def take() -> None:
        taken.extend([event async for event in events])

    options = fake("[notice('x' * 1000) for _ in range(500)]; end()")
    with anyio.fail_after(20):
        async with connect(options) as child, anyio.create_task_group() as group:
            events = child.events()
            group.start_soon(take)
            await child.wait()
    assert len(taken) == 501
