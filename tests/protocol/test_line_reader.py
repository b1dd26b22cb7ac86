"""Lines in: any pieces give the same lines, and nothing that is too long is kept."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.protocol.framing import Line, LineReader, TooLong

pieces = st.sampled_from([b"{}", b'"x"', b"\xff", b"\r", b" ", b"\xef\xbb\xbf", "字".encode()])
streams = st.lists(pieces | st.just(b"\n")).map(b"".join) | st.binary()


def read(chunks: list[bytes], limit: int = 0) -> list[Line | TooLong]:
    reader = LineReader(limit=limit)
    lines = [line for chunk in chunks for line in reader.feed(chunk)]
    last = reader.end()
    return lines if last is None else [*lines, last]


def expected(stream: bytes, limit: int) -> list[Line | TooLong]:
    lines: list[Line | TooLong] = []
    for number, line in enumerate(stream.split(b"\n"), start=1):
        if limit and len(line) + 1 > limit:
            lines.append(TooLong(number, len(line)))
            continue
        data = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        data = data.removesuffix(b"\r")
        if data.strip():
            lines.append(Line(number, data))
    return lines


@given(streams, st.lists(st.integers(0, 50)), st.sampled_from([0, 1, 2, 3, 5, 8]))
def test_B28_any_pieces_give_the_same_lines(stream: bytes, cuts: list[int], limit: int) -> None:
    borders = [0, *sorted(cut for cut in cuts if cut <= len(stream)), len(stream)]
    chunks = [stream[start:stop] for start, stop in pairwise(borders)]
    assert read(chunks, limit) == expected(stream, limit)


@given(streams, st.sampled_from([0, 3]))
def test_B28_one_byte_at_a_time_gives_lines(stream: bytes, limit: int) -> None:
    assert read([bytes([byte]) for byte in stream], limit) == expected(stream, limit)


def test_B28_odd_line_shapes_are_tolerated() -> None:
    stream = b'\xef\xbb\xbf{"a":1}\r\n\n \t\r\n{"b":2}{"c":3}\n[]'
    assert read([stream]) == [Line(1, b'{"a":1}'), Line(4, b'{"b":2}{"c":3}'), Line(5, b"[]")]


def test_B28_only_one_carriage_return_is_taken() -> None:
    assert read([b"a\r\r\n"]) == [Line(1, b"a\r")]


def test_B28_a_mark_inside_is_kept() -> None:
    assert read([b"a\n\xef\xbb\xbfb\n"]) == [Line(1, b"a"), Line(2, b"\xef\xbb\xbfb")]


def test_B04_only_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0b\x0c\x1ce\rf".encode()
    assert read([text + b"\n"]) == [Line(1, text)]


@pytest.mark.parametrize("cut", [1, 9, 10, 11, 25])
def test_B28_a_long_line_is_told_once(cut: int) -> None:
    stream = b"x" * 9 + b"\n" + b"y" * 20 + b"\nz\n"
    lines = read([stream[:cut], stream[cut:]], limit=10)
    assert lines == [Line(1, b"x" * 9), TooLong(2, 20), Line(3, b"z")]


def test_B28_a_long_last_line_is_told() -> None:
    assert read([b"x" * 30], limit=10) == [TooLong(1, 30)]


def test_nothing_ends_in_nothing() -> None:
    assert read([]) == []
    assert read([b"\n"]) == []
    assert read([b" "]) == []


def test_an_endless_line_takes_bounded_memory() -> None:
    reader, chunk = LineReader(limit=100_000), b"x" * 10_000
    tracemalloc.start()
    try:
        for _ in range(2000):
            assert reader.feed(chunk) == []
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert reader.feed(b"\n") == [TooLong(1, 20_000_000)]
