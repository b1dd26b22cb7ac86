"""Lines to the child: answered by callback or by call, whole, in order, and never a deadlock."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from turnwire.hosts.client import AnswersClosed, Bounds, ChildGone, Options, connect
from turnwire.protocol.commands import Answer
from turnwire.protocol.events import Answers, Notice
from turnwire.protocol.people import Action, HumanRequest, Scope

Fake = Callable[..., Options]

ECHO = """
ask("h1", metadata={"tool_use_id": "c", "tool_name": "write", "arguments_sha256": "abc"})
stream = lines() if answers_fd else sys.stdin.buffer
for line in stream:
    notice(line.decode())
end()
"""
"""A child that asks once and then tells each line that it gets."""


async def echoed(child: Any, count: int = 1) -> list[dict[str, Any]]:
    """Take events until ``count`` lines have come back."""
    told: list[dict[str, Any]] = []
    while len(told) < count:
        event = await child.next_event()
        if isinstance(event, Notice):
            told.append(json.loads(event.message))
    return told


@pytest.mark.parametrize("answers", [Answers.FD, Answers.STDIN])
async def test_an_answer_by_call_arrives(fake: Fake, answers: Answers) -> None:
    with anyio.fail_after(20):
        async with connect(fake(ECHO, answers=answers)) as child:
            await child.next_event()
            await child.answer("h1", Action.DECLINE, reason="no\u2028", scope=Scope.SESSION)
            [line] = await echoed(child)
    assert (line["id"], line["action"], line["reason"]) == ("h1", "decline", "no\u2028")
    assert line["scope"] == "session"


async def test_an_answer_is_bound_to_what_was_shown(fake: Fake) -> None:
    with anyio.fail_after(20):
        async with connect(fake(ECHO)) as child:
            await child.next_event()
            assert list(child.open_requests) == ["h1"]
            await child.answer("h1", Action.ACCEPT)
            [line] = await echoed(child)
    assert line["arguments_sha256"] == "abc"


async def test_an_answer_by_callback_arrives(fake: Fake) -> None:
    async def ask(request: HumanRequest) -> Answer:
        return Answer(id=request.id, action=Action.ACCEPT)

    with anyio.fail_after(20):
        async with connect(fake(ECHO), on_request=ask) as child:
            [line] = await echoed(child)
    assert (line["action"], line["arguments_sha256"]) == ("accept", "abc")


async def test_a_callback_may_leave_the_answer_to_a_call(fake: Fake) -> None:
    async def ask(request: HumanRequest) -> None:
        await child.answer(request.id, Action.CANCEL)

    with anyio.fail_after(20):
        async with connect(fake(ECHO), on_request=ask) as child:
            [line] = await echoed(child)
    assert line["action"] == "cancel"


async def test_C14_a_callback_is_cancelled_when_its_request_closes(fake: Fake) -> None:
    async def ask(request: HumanRequest) -> None:
        asked.append(request.id)
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(request.id)

    asked: list[str] = []
    stopped: list[str] = []
    script = "ask('a'); ask('b'); lines().readline(); closed('a', 'deadline'); end()"
    with anyio.fail_after(20):
        async with connect(fake(script), on_request=ask) as child:
            for _ in range(2):
                await child.next_event()
            await anyio.wait_all_tasks_blocked()
            await child.steer("on")
            await child.next_event()
            await anyio.wait_all_tasks_blocked()
            assert (sorted(asked), stopped) == (["a", "b"], ["a"])
            await child.wait()
            await anyio.wait_all_tasks_blocked()
            assert stopped == ["a", "b"]


async def test_each_line_has_its_number(fake: Fake) -> None:
    with anyio.fail_after(20):
        async with connect(fake(ECHO)) as child:
            numbers = [
                await child.steer("one"),
                await child.interrupt(),
                await child.rewind(None),
                await child.shutdown(),
                await child.tool_result("c", "text"),
            ]
            told = await echoed(child, 5)
    assert numbers == [1, 2, 3, 4, 5]
    assert [line["type"] for line in told] == [
        "steer",
        "interrupt",
        "rewind",
        "shutdown",
        "tool_result",
    ]


async def test_lines_before_a_deliberate_close_still_arrive(fake: Fake) -> None:
    with anyio.fail_after(20):
        async with connect(fake(ECHO)) as child:
            for number in range(100):
                await child.steer(str(number))
            child.close_answers()
            with pytest.raises(AnswersClosed):
                await child.steer("too late")
            told = await echoed(child, 100)
            ending = await child.wait()
    assert [line["text"] for line in told] == [str(number) for number in range(100)]
    assert (ending.undelivered, ending.fault_count) == (0, 0)


async def test_B29_the_child_sees_a_deliberate_close(fake: Fake) -> None:
    script = "notice(repr(lines().read())); end()"
    with anyio.fail_after(20):
        async with connect(fake(script)) as child:
            child.close_answers()
            event = await child.next_event()
    assert isinstance(event, Notice)
    assert event.message == "b''"


async def test_without_a_descriptor_there_is_nothing_to_write_to(fake: Fake) -> None:
    options = fake("assert '--answers-fd' not in sys.argv; end()", answers=Answers.NONE)
    with anyio.fail_after(20):
        async with connect(options) as child:
            with pytest.raises(AnswersClosed):
                await child.steer("x")
            ending = await child.wait()
    assert ending.exit_code == 0


async def test_nobody_is_asked_whose_answer_could_not_be_sent(fake: Fake) -> None:
    async def ask(request: HumanRequest) -> None:
        raise AssertionError(request.id)

    options = fake("ask('h'); closed('h', 'no_answerer'); end()", answers=Answers.NONE)
    with anyio.fail_after(20):
        async with connect(options, on_request=ask) as child:
            assert not child.answerable
            ending = await child.wait()
    assert ending.exit_code == 0


async def test_a_child_that_has_ended_is_gone(fake: Fake) -> None:
    with anyio.fail_after(20):
        async with connect(fake("end()")) as child:
            await child.wait()
            with pytest.raises(ChildGone):
                await child.answer("h", Action.ACCEPT)


async def test_a_child_that_closed_its_answers_is_gone(fake: Fake) -> None:
    async def insist() -> None:
        while True:
            await child.steer("x")

    with anyio.fail_after(20):
        async with connect(fake("os.close(answers_fd); notice('a'); signal.pause()")) as child:
            await child.next_event()
            with pytest.raises(ChildGone):
                await insist()


async def test_B28_floods_in_both_directions_do_not_deadlock(fake: Fake) -> None:
    script = """
    for number in range(4000):
        notice("x" * 1000)
    notice(str(len(lines().readline())) if answers_fd else "")
    end()
    """
    with anyio.fail_after(20):
        async with connect(fake(script, bounds=Bounds(waiting_bytes=3_000_000))) as child:
            await child.next_event()
            await child.steer("y" * 1_000_000)
            said = [event async for event in child.events() if isinstance(event, Notice)]
            ending = await child.wait()
    assert int(said[-1].message) > 1_000_000
    assert (ending.undelivered, ending.fault_count) == (0, 0)


async def test_lines_that_a_child_never_read_are_counted(fake: Fake) -> None:
    script = "notice('a'); signal.pause()"
    with anyio.fail_after(20):
        async with connect(fake(script)) as child:
            await child.next_event()
            for _ in range(10):
                await child.steer("y" * 100_000)
            child.stop()
            ending = await child.wait()
    assert ending.undelivered == 10


async def test_a_sender_that_waits_for_room_learns_of_the_end(fake: Fake) -> None:
    options = fake("notice('a'); signal.pause()", bounds=Bounds(waiting_bytes=1000))
    with anyio.fail_after(20):
        async with connect(options) as child:
            await child.steer("y" * 300_000)
            await child.steer("y" * 300_000)
            child.stop()
            with pytest.raises(ChildGone):
                await child.steer("z" * 1000)


async def test_a_cancelled_sender_leaves_no_half_line(fake: Fake) -> None:
    script = "notice('a')\nfor line in lines(): notice(str(len(json.loads(line)['text'])))\nend()"
    options = fake(script, bounds=Bounds(waiting_bytes=1000))
    with anyio.fail_after(20):
        async with connect(options) as child:
            await child.steer("y" * 300_000)
            await child.steer("z")
            with anyio.move_on_after(0.05):
                await child.steer("w" * 300_000)
            child.close_answers()
            said = [event.message async for event in child.events() if isinstance(event, Notice)]
    assert said[:3] == ["a", "300000", "1"]
    assert said[3:] in ([], ["300000"])


SIGPIPE_HOST = """
import signal, sys, anyio
from turnwire.hosts.client import *
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
CHILD = '''
import os, signal, sys
os.close(int(sys.argv[sys.argv.index("--answers-fd") + 1])); os.write(1, b"x" + bytes([10]))
signal.pause()
'''
async def main():
    async with connect(Options(command=(sys.executable, "-c", CHILD))) as child:
        try:
            while True:
                await child.steer("x")
        except ChildGone:
            print("gone")
anyio.run(main)
"""


def test_B16_a_host_with_default_sigpipe_survives_a_dead_child() -> None:
    host = subprocess.run(
        [sys.executable, "-c", SIGPIPE_HOST], capture_output=True, timeout=30, check=False
    )
    assert host.returncode != -signal.SIGPIPE
    assert (host.stdout, host.stderr) == (b"gone\n", b"")


async def test_the_prompt_is_not_on_the_command_line(fake: Fake) -> None:
    script = "notice(sys.stdin.read()); notice(' '.join(sys.argv)); end()"
    prompt = "péché\n" * 500_000
    with anyio.fail_after(20):
        async with connect(fake(script, prompt=prompt)) as child:
            said = [event.message async for event in child.events() if isinstance(event, Notice)]
    assert said[0] == prompt
    assert said[1].endswith("--prompt -")
