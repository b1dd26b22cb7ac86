"""The copy to the real stderr, step by step: what it keeps, what it loses, what it never waits for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest

from turnwire.runner.channel.readiness import ready_to_read
from turnwire.runner.channel.stderr import StderrCopy

MIB = 1 << 20

Pipes = Callable[[], tuple[int, int]]


class Bench:
    """A copy between two pipes: what is printed goes in at ``printing``, ``reading`` is the host's end."""

    def __init__(self, make_pipe: Pipes) -> None:
        source, self.printing = make_pipe()
        self.reading, target = make_pipe()
        self.copy = StderrCopy(source, target)

    def print(self, size: int) -> None:
        """Print that much, a step of the copy for each chunk."""
        for _ in range(size // 10_000):
            os.write(self.printing, b"x" * 10_000)
            self.copy.step()

    def read(self, size: int) -> int:
        """Read that much as a slow host, while the copy goes on."""
        read = 0
        while read < size:
            while not ready_to_read(self.reading):
                self.copy.step()
            read += len(os.read(self.reading, 4096))
        return read


@pytest.fixture
def bench(make_pipe: Pipes) -> Bench:
    return Bench(make_pipe)


def test_B23_what_is_printed_arrives(bench: Bench) -> None:
    os.write(bench.printing, b"words")
    bench.copy.step()
    bench.copy.step()
    assert os.read(bench.reading, 100) == b"words"


def test_B23_a_burst_waits_for_a_slow_reader(bench: Bench) -> None:
    bench.print(MIB)
    assert bench.read(MIB // 10_000 * 10_000) == MIB // 10_000 * 10_000
    assert bench.copy.dropped == 0


def test_B23_beyond_the_bound_text_is_lost_and_counted(bench: Bench) -> None:
    bench.print(4 * MIB)
    assert 2 * MIB < bench.copy.dropped < 4 * MIB


def test_B16_a_reader_that_is_gone_loses_everything(bench: Bench) -> None:
    os.close(bench.reading)
    bench.print(100_000)
    assert bench.copy.dropped >= 90_000


def test_without_a_stderr_everything_is_lost_and_counted(make_pipe: Pipes) -> None:
    source, printing = make_pipe()
    copy = StderrCopy(source, None)
    os.write(printing, b"x" * 500)
    assert copy.step()
    assert copy.dropped == 500


def test_the_copy_ends_with_the_last_that_can_print(bench: Bench) -> None:
    os.write(bench.printing, b"words")
    assert bench.copy.step()
    os.close(bench.printing)
    steps = 0
    while bench.copy.step():
        steps += 1
    assert steps <= 3
    assert os.read(bench.reading, 100) == b"words"
    assert bench.copy.drain(5)


@contextmanager
def _copying(bench: Bench) -> Generator[None, None, None]:
    """Copy in a thread that is over when the test is."""
    thread = threading.Thread(target=_copy, args=(bench.copy,))
    thread.start()
    yield
    os.close(bench.printing)
    os.close(bench.reading)
    thread.join(20)
    assert not thread.is_alive()


def _copy(copy: StderrCopy) -> None:
    while copy.step():
        pass


def test_draining_waits_for_what_is_printed(bench: Bench) -> None:
    with _copying(bench):
        os.write(bench.printing, b"x" * 50_000)
        assert bench.copy.drain(10)
        assert len(os.read(bench.reading, 65_536)) == 50_000


def test_draining_into_a_full_stderr_has_an_end(bench: Bench) -> None:
    bench.print(200_000)
    assert not bench.copy.drain(0.05)


def test_draining_beside_a_daemon_that_prints_has_an_end(bench: Bench) -> None:
    stop = threading.Event()
    daemon = threading.Thread(target=_print_until, args=(stop, bench.printing))
    with _copying(bench):
        daemon.start()
        bench.copy.drain(0.05)
        stop.set()
        daemon.join(20)
    assert not daemon.is_alive()


def _print_until(stop: threading.Event, fd: int) -> None:
    while not stop.is_set():
        os.write(fd, b"y\n" * 1000)
