"""What waits for a slow host: its order, its bounds, and what may be lost of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.protocol.codec import decode_event, encode_event
from turnwire.protocol.events import UNSET, Delta, Part
from turnwire.protocol.framing import LEAST_LINE_BYTES, PartJoiner, encode_line
from turnwire.protocol.rows import Port
from turnwire.runner.channel.backlog import Backlog, LogUnreadable

MIB = 1 << 20


class KeptLog:
    """A log in memory that tells how much of it was ever asked for at once."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.most_read = 0

    def append(self, line: bytes) -> int:
        self.bytes += line
        return len(self.bytes)

    def read(self, start: int, end: int) -> bytes:
        self.most_read = max(self.most_read, end - start)
        return bytes(self.bytes[start:end])


def _delta(text: str, *, row: str = "r1", port: Port = Port.TEXT, call: int | None = None) -> bytes:
    index = UNSET if call is None else call
    return encode_line(encode_event(Delta(row=row, port=port, text=text, call_index=index)))


def _line(seq: int, size: int = 100) -> bytes:
    start = b'{"type":"notice","seq":%d,"pad":"' % seq
    return start + b"x" * (size - len(start) - 3) + b'"}\n'


def _all(backlog: Backlog) -> bytes:
    taken = b""
    while batch := backlog.batch():
        taken += batch.data
    return taken


def _memory(limit: int = 65_536) -> Backlog:
    return Backlog(line_limit=limit, log=None)


# --- order ------------------------------------------------------------------------------------------------


def test_S1_deltas_and_events_keep_their_order() -> None:
    backlog = _memory()
    told = [_delta("a"), _line(1), _delta("b"), _delta("c"), _line(2)]
    for seq, line in enumerate(told):
        backlog.settled(line, seq, None) if b"seq" in line else backlog.delta(line)
    assert _all(backlog) == b"".join(told)


def test_a_batch_is_bounded_and_counts_its_events() -> None:
    backlog = _memory()
    for seq in range(2000):
        backlog.settled(_line(seq), seq, None)
    first = backlog.batch()
    assert first is not None
    assert len(first.data) == 100 * first.events
    assert 65_536 <= len(first.data) < 65_536 + 100
    assert backlog.events == 2000 - first.events


def test_a_cleared_backlog_is_empty() -> None:
    backlog = _memory()
    backlog.settled(_line(1), 1, None)
    backlog.clear()
    assert (backlog.batch(), backlog.events, backlog.size, bool(backlog)) == (None, 0, 0, False)


# --- deltas -----------------------------------------------------------------------------------------------


def _texts(lines: bytes) -> list[tuple[str, Port, int | None, str]]:
    deltas = [decode_event(line) for line in lines.splitlines()]
    return [
        (d.row, d.port, None if d.call_index is UNSET else d.call_index, d.text)
        for d in deltas
        if isinstance(d, Delta)
    ]


def test_a_slow_reader_gets_deltas_merged() -> None:
    backlog = _memory()
    for number in range(2000):
        backlog.delta(_delta(f"{number} "))
    lines = _all(backlog)
    assert lines.count(b"\n") < 100
    assert "".join(text for *_, text in _texts(lines)) == "".join(f"{n} " for n in range(2000))
    assert backlog.dropped == 0


_pieces = st.lists(
    st.tuples(
        st.sampled_from(["r1", "r2"]),
        st.sampled_from([Port.TEXT, Port.ARGUMENTS]),
        st.sampled_from([None, 0, 1]),
        st.text(min_size=1, max_size=4)
        | st.sampled_from(['"', "\\", "\u2028", "🌍", '","call_index":1}']),
    ),
    max_size=60,
)


@given(_pieces)
def test_merging_joins_neighbours_and_changes_nothing(
    pieces: list[tuple[str, Port, int | None, str]],
) -> None:
    backlog = _memory()
    for _ in range(64):
        backlog.delta(_delta("before", row="r0"))
    for row, port, call, text in pieces:
        backlog.delta(_delta(text, row=row, port=port, call=call))
    expected: list[tuple[str, Port, int | None, str]] = []
    for row, port, call, text in pieces:
        if expected and expected[-1][:3] == (row, port, call):
            expected.append((row, port, call, expected.pop()[3] + text))
        else:
            expected.append((row, port, call, text))
    assert _texts(_all(backlog))[64:] == expected


def test_words_of_progress_are_never_joined() -> None:
    backlog = _memory()
    for number in range(100):
        backlog.delta(_delta(f"{number} of 100", port=Port.PROGRESS))
    assert [text for *_, text in _texts(_all(backlog))] == [f"{n} of 100" for n in range(100)]


def test_no_delta_is_merged_across_its_rows_last_line() -> None:
    backlog = _memory()
    for _ in range(70):
        backlog.delta(_delta("a"))
    backlog.settled(_line(1), 1, None)
    backlog.delta(_delta("b"))
    lines = _all(backlog).splitlines(keepends=True)
    assert lines[-2:] == [_line(1), _delta("b")]


@pytest.mark.parametrize("limit", [0, LEAST_LINE_BYTES])
def test_B02_a_merged_delta_is_no_longer_than_a_line(limit: int) -> None:
    backlog = _memory(limit)
    for _ in range(3000):
        backlog.delta(_delta("x" * 50))
    assert max(map(len, _all(backlog).splitlines(keepends=True))) <= (limit or 16_384)


def test_B02_a_delta_longer_than_a_line_is_dropped() -> None:
    backlog = _memory(LEAST_LINE_BYTES)
    backlog.delta(_delta("x" * LEAST_LINE_BYTES))
    assert (backlog.dropped, backlog.batch()) == (1, None)


def test_deltas_beyond_the_bound_are_dropped_and_counted() -> None:
    backlog = _memory()
    for _ in range(100_000):
        backlog.delta(_delta("x" * 50))
    told = "".join(text for *_, text in _texts(_all(backlog)))
    assert backlog.size == 0
    assert 200_000 < len(told) < 300_000
    assert len(told) // 50 + backlog.dropped == 100_000


# --- settled events ---------------------------------------------------------------------------------------


def test_B01_an_event_longer_than_a_line_goes_out_in_parts() -> None:
    backlog = _memory()
    long = _line(9, 300_000)
    backlog.settled(long, 9, None)
    assert backlog.events == 1
    lines = _all(backlog).splitlines(keepends=True)
    assert max(map(len, lines)) <= 65_536
    assert _joined(lines) == long[:-1]


def _joined(lines: list[bytes]) -> bytes | None:
    joiner = PartJoiner()
    whole = None
    for line in lines:
        part = decode_event(line)
        assert isinstance(part, Part)
        assert part.part_of == 9
        whole = joiner.feed(part)
    return whole


def test_a_slow_reader_is_served_from_the_log() -> None:
    log = KeptLog()
    backlog = Backlog(line_limit=65_536, log=log)
    for seq in range(1, 5001):
        line = _line(seq, 1000)
        backlog.settled(line, seq, log.append(line))
    assert backlog.size <= MIB + 1000
    assert backlog.events == 5000
    assert _all(backlog) == log.bytes
    assert log.most_read <= 65_536
    assert backlog.events == 0


def test_B01_long_events_are_cut_when_they_are_read_back() -> None:
    log = KeptLog()
    backlog = Backlog(line_limit=65_536, log=log)
    for seq in range(1, 9):
        line = _line(seq, MIB if seq < 9 else 300_000)
        backlog.settled(line, seq, log.append(line))
    long = _line(9, 300_000)
    backlog.settled(long, 9, log.append(long))
    lines = _all(backlog).splitlines(keepends=True)
    assert max(map(len, lines)) <= 65_536
    assert _joined([line for line in lines if b'"part_of":9,' in line]) == long[:-1]


def test_events_after_a_log_that_failed_come_last() -> None:
    log = KeptLog()
    backlog = Backlog(line_limit=0, log=log)
    for seq in range(1, 3001):
        line = _line(seq, 1000)
        backlog.settled(line, seq, log.append(line))
    backlog.settled(_line(3001), 3001, None)
    assert _all(backlog) == log.bytes + _line(3001)


def test_deltas_behind_the_log_are_dropped() -> None:
    log = KeptLog()
    backlog = Backlog(line_limit=0, log=log)
    for seq in range(1, 3001):
        line = _line(seq, 1000)
        backlog.settled(line, seq, log.append(line))
    while backlog.size:
        backlog.batch()
    backlog.delta(_delta("late"))
    assert backlog.dropped == 1
    assert b"late" not in _all(backlog)
    backlog.delta(_delta("caught up"))
    assert _all(backlog) == _delta("caught up")


@given(st.lists(st.integers(60, 200_000), min_size=1, max_size=40), st.data())
def test_read_back_in_any_rhythm_nothing_is_lost(sizes: list[int], data: st.DataObject) -> None:
    log = KeptLog()
    backlog = Backlog(line_limit=0, log=log)
    taken = b""
    for seq, size in enumerate(sizes, 1):
        line = _line(seq, size)
        backlog.settled(line, seq, log.append(line))
        if data.draw(st.booleans()) and (batch := backlog.batch()):
            taken += batch.data
    assert taken + _all(backlog) == log.bytes
    assert (backlog.events, backlog.size) == (0, 0)


def test_a_log_that_is_cut_short_is_an_error() -> None:
    log = KeptLog()
    backlog = Backlog(line_limit=0, log=log)
    for seq in range(1, 1501):
        line = _line(seq, 1000)
        backlog.settled(line, seq, log.append(line))
    del log.bytes[MIB + 10 :]
    with pytest.raises(LogUnreadable):
        _all(backlog)
