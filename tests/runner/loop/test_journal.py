"""The journal: logged, then told, in one order; a log that fails ends the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.play import Play

from turnwire.protocol.codec import decode_event
from turnwire.protocol.events import Delta
from turnwire.protocol.framing import encode_line
from turnwire.protocol.rows import Port
from turnwire.runner.core.inputs import DeltasDropped, Failed
from turnwire.runner.loop.journal import EventJournal


class Stdout:
    """Lines as they are told; ``calls`` keeps the order of everything, the log included."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.lines: list[bytes] = []
        self.ends: list[int | None] = []
        self.deltas: list[bytes] = []
        self.dropped = 0
        self.due: list[Callable[[], None]] = []

    def settled(self, line: bytes, seq: int, log_end: int | None) -> None:
        self.calls.append("told")
        self.lines.append(line)
        self.ends.append(log_end)

    def delta(self, line: bytes) -> None:
        self.deltas.append(line)

    def flush(self) -> None:
        self.calls.append("flushed")

    def take_dropped(self) -> int:
        dropped, self.dropped = self.dropped, 0
        return dropped


class Disk:
    """A log in memory, of which ``room`` appends fit."""

    def __init__(self, stdout: Stdout, room: int = 99) -> None:
        self.content = b"the hello line\n"
        self._stdout = stdout
        self._room = room

    @property
    def size(self) -> int:
        return len(self.content)

    def append(self, lines: bytes) -> None:
        if not self._room:
            raise OSError(28, "No space left on device")
        self._room -= 1
        self._stdout.calls.append("logged")
        self.content += lines


@pytest.fixture
def stdout() -> Stdout:
    return Stdout()


def journal(
    stdout: Stdout, log: Disk | None = None, *, line_bytes: int = 65_536, deltas: bool = True
) -> EventJournal:
    return EventJournal(stdout, log, line_bytes=line_bytes, deltas=deltas, soon=stdout.due.append)


def some_events() -> Play:
    return Play().load("go\u2028on")


def test_events_are_logged_first_and_then_told(stdout: Stdout) -> None:
    events = some_events().news
    assert journal(stdout, Disk(stdout)).record(events) is None
    assert stdout.calls == ["logged", *["told"] * len(events), "flushed"]
    assert [decode_event(line) for line in stdout.lines] == events


def test_the_log_holds_exactly_what_was_told(stdout: Stdout) -> None:
    disk = Disk(stdout)
    journal(stdout, disk).record(some_events().news)
    assert disk.content == b"the hello line\n" + b"".join(stdout.lines)
    starts = [b"the hello line\n", *stdout.lines]
    assert stdout.ends == [len(b"".join(starts[: n + 2])) for n in range(len(stdout.lines))]


def test_B04_separators_are_written_as_escapes(stdout: Stdout) -> None:
    journal(stdout).record(some_events().news)
    assert len(b"".join(stdout.lines).decode().splitlines()) == len(stdout.lines)


def test_without_events_nothing_is_written(stdout: Stdout) -> None:
    assert journal(stdout, Disk(stdout)).record([]) is None
    assert stdout.calls == []


def test_without_a_log_events_are_told_all_the_same(stdout: Stdout) -> None:
    journal(stdout).record(some_events().news)
    assert set(stdout.ends) == {None}


def test_a_log_that_fails_is_told_once_and_ends_the_run(stdout: Stdout) -> None:
    full = journal(stdout, Disk(stdout, room=0))
    failed = full.record(some_events().news)
    assert isinstance(failed, Failed)
    assert failed.error.code == "session_unwritable"
    assert "No space left on device" in failed.error.message
    assert full.record(some_events().news) is None
    assert stdout.calls.count("logged") == 0


def test_dropped_deltas_are_told_with_the_next_events(stdout: Stdout) -> None:
    stdout.dropped = 4
    kept = journal(stdout)
    assert kept.record(some_events().news) == DeltasDropped(4)
    assert kept.record(some_events().news) is None


def test_S1_a_delta_is_told_and_flushed_when_its_worker_pauses(stdout: Stdout) -> None:
    live = journal(stdout)
    live.told("t1.r1", Port.TEXT, "Hel")
    live.told("t1.r1", Port.ARGUMENTS, "lo", 1)
    assert [decode_event(line) for line in stdout.deltas] == [
        Delta(row="t1.r1", port=Port.TEXT, text="Hel"),
        Delta(row="t1.r1", port=Port.ARGUMENTS, text="lo", call_index=1),
    ]
    assert len(stdout.due) == 1
    stdout.due.pop()()
    assert stdout.calls == ["flushed"]
    live.told("t1.r1", Port.TEXT, "!")
    assert len(stdout.due) == 1


def test_without_deltas_nothing_live_is_told(stdout: Stdout) -> None:
    journal(stdout, deltas=False).told("t1.r1", Port.TEXT, "Hello")
    assert stdout.deltas == []
    assert stdout.due == []


@pytest.mark.parametrize("text", ["x" * 50_000, "\u2028" * 50_000, "\x00" * 50_000, "😀" * 20_000])
def test_B02_a_long_delta_is_cut_so_that_each_line_fits(stdout: Stdout, text: str) -> None:
    journal(stdout, line_bytes=4_096).told("t1.r1", Port.TEXT, text)
    assert max(map(len, stdout.deltas)) <= 4_096
    deltas = [decode_event(line) for line in stdout.deltas]
    assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == text


def test_B02_without_a_limit_a_delta_stays_whole(stdout: Stdout) -> None:
    journal(stdout, line_bytes=0).told("t1.r1", Port.TEXT, "x" * 100_000)
    assert len(stdout.deltas) == 1
    assert stdout.deltas[0] == encode_line(stdout.deltas[0].rstrip(b"\n"))
