"""A real host and a real child on both descriptors: neither may wait for the other for ever."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

from support.owning import WAIT_SECONDS, command

CHILD = """
import os, sys
import anyio
from turnwire.runner.channel.answers import AnswersLane
from turnwire.runner.channel.events import EventStream
from turnwire.runner.core.inputs import ChannelEnded

async def main():
    stream = EventStream(owned.events, line_limit=65536, stall_seconds=0)
    fate = []
    def deliver(received):
        if isinstance(received, ChannelEnded):
            fate.append("answers ended")
            ended.set()
        else:
            stream.settled(b'{"refused":%d,"pad":"%s"}\\n' % (received.line, b"x" * 50), received.line, None)
            stream.flush()
    def gone(reason):
        ended.set()
    ended = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stream.run, gone)
        tasks.start_soon(AnswersLane(owned.take_answers(int(sys.argv[1])), 4 << 20, deliver).run)
        await ended.wait()
        if not stream.gone:
            await stream.drained()
            with anyio.move_on_after(float(sys.argv[2])):
                await anyio.sleep_forever()
        tasks.cancel_scope.cancel()
    os.write(int(sys.argv[3]), " and ".join([*fate, *filter(None, [stream.gone])]).encode())
    os._exit(0)

anyio.run(main)
"""

HOST = f"""
import os, subprocess, sys, time
answers, ours = os.pipe()
child = subprocess.Popen(
    {command(CHILD)!r} + [str(answers), "5", sys.argv[1]],
    stdout=subprocess.PIPE, pass_fds=[answers, int(sys.argv[1])],
)
os.close(answers)
os.write(ours, b"x\\n")
child.stdout.readline()
print("started", flush=True)
time.sleep(60)
"""


class Started:
    """A child with its answers pipe, and the pipe on which it says how it ended."""

    def __init__(self, *, linger: float = 0) -> None:
        answers, self.answers = os.pipe()
        self.fate, fate = os.pipe()
        self.process = subprocess.Popen(
            [*command(CHILD), str(answers), str(linger), str(fate)],
            stdout=subprocess.PIPE,
            pass_fds=[answers, fate],
        )
        os.close(answers)
        os.close(fate)

    def ended(self) -> str:
        """Wait until the child is gone, and give what it said."""
        said = _said(self.fate)
        self.process.wait(WAIT_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
        os.close(self.fate)
        return said


def _said(fd: int) -> str:
    assert select.select([fd], [], [], WAIT_SECONDS)[0], "nothing was said in time"
    return os.read(fd, 1000).decode()


def test_B23_a_host_may_write_everything_before_it_reads() -> None:
    child = Started()
    lines = 50_000
    signal.alarm(40)
    rest = memoryview(b"this is not a line of json at all\n" * lines)
    while rest:
        rest = rest[os.write(child.answers, rest) :]
    os.close(child.answers)
    assert child.process.stdout is not None
    told = child.process.stdout.read().splitlines()
    signal.alarm(0)
    assert len(told) == lines
    assert told[-1].startswith(b'{"refused":50000,')
    assert child.ended() == "answers ended"


def test_B16_a_child_sees_that_its_host_reads_no_more() -> None:
    child = Started()
    os.write(child.answers, b"x\n")
    assert child.process.stdout is not None
    child.process.stdout.readline()
    child.process.stdout.close()
    started = time.monotonic()
    assert child.ended() == "the reader of stdout hung up"
    assert time.monotonic() - started < 5
    os.close(child.answers)


def test_B17_a_killed_host_is_seen_on_both_descriptors() -> None:
    fate, write = os.pipe()
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(write)], stdout=subprocess.PIPE, pass_fds=[write]
    )
    os.close(write)
    assert host.stdout is not None
    host.stdout.readline()
    host.kill()
    host.wait(WAIT_SECONDS)
    host.stdout.close()
    assert _said(fate).endswith("the reader of stdout hung up")
    os.close(fate)


def test_B17_the_end_of_answers_alone_is_no_hang_up() -> None:
    child = Started(linger=0.3)
    os.close(child.answers)
    assert child.ended() == "answers ended"
