"""Server-sent events: the rules of the HTML standard, at any border between packets."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.runner.providers.sse import EventStream, EventTooLong

BOM = b"\xef\xbb\xbf"
CASES = {
    "A37 a comment and a blank line": (b": OPENROUTER PROCESSING\n\ndata: 1\n\n", [b"1"]),
    "A37 a bare comment": (b":\n:\n\ndata: 1\n\n", [b"1"]),
    "A37 a comment right before data": (b": a=b\ndata: 1\n\n", [b"1"]),
    "A38 a comment that was wrapped as data": (b"data: : OPENROUTER\n\n", [b": OPENROUTER"]),
    "A41 a byte order mark": (BOM + b"data:1\n\n", [b"1"]),
    "A41 empty data": (b"data:\n\ndata\n\ndata: \n\ndata: 1\n\n", [b"1"]),
    "A41 no blank after the colon": (b"data:{}\n\n", [b"{}"]),
    "A41 only one blank is taken away": (b"data:  x\n\n", [b" x"]),
    "A41 an event without data": (b"event: ping\n\ndata: 1\n\n", [b"1"]),
    "A41 id and retry": (b"id: 7\nretry: 10\n\ndata: 1\n\n", [b"1"]),
    "A41 fields around data": (b"event: x\ndata: 1\nid: 3\n\n", [b"1"]),
    "A41 several data lines": (b'data: {"a":\ndata: []}\n\n', [b'{"a":\n[]}']),
    "A41 a field that only begins like data": (b"database: 1\n\n", []),
    "CRLF": (b"data: 1\r\n\r\ndata: 2\r\n\r\n", [b"1", b"2"]),
    "CR": (b"data: 1\r\rdata: 2\r\r", [b"1", b"2"]),
    "mixed line ends": (b"data: 1\r\n\ndata: 2\n\rdata: 3\r\n\r\n", [b"1", b"2", b"3"]),
    "many blank lines": (b"\n\n\ndata: 1\n\n\n\n\ndata: 2\n\n\n", [b"1", b"2"]),
    "U+2028 U+0085 VT FF are no line ends": (
        "data: a\u2028b\u0085c\x0bd\x0ce\n\n".encode(),
        ["a\u2028b\u0085c\x0bd\x0ce".encode()],
    ),
    "an event that is not over": (b"data: 1\n\ndata: 2\n", [b"1"]),
}


def read(*chunks: bytes) -> list[bytes]:
    stream = EventStream()
    return [data for chunk in chunks for data in stream.feed(chunk)]


@pytest.mark.parametrize(("content", "expected"), CASES.values(), ids=CASES)
def test_A37_A38_A41_events_hold_exactly_their_data(content: bytes, expected: list[bytes]) -> None:
    assert read(content) == expected


@pytest.mark.parametrize(("content", "expected"), CASES.values(), ids=CASES)
def test_A40_one_byte_at_a_time_changes_nothing(content: bytes, expected: list[bytes]) -> None:
    assert read(*(content[at : at + 1] for at in range(len(content)))) == expected


fields = st.sampled_from([b"data: ", b"data:", b": ", b"event: ", b"id: 3", b"", b"\xe5\x8c\x97"])
line_ends = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n"])
streams = st.lists(st.tuples(fields, line_ends), max_size=30).map(
    lambda lines: b"".join(part for line in lines for part in line)
)


@given(content=streams, borders=st.lists(st.integers(0, 200), max_size=20))
def test_A40_no_packet_border_ever_matters(content: bytes, borders: list[int]) -> None:
    cuts = [0, *sorted(min(border, len(content)) for border in borders), len(content)]
    pieces = [content[start:end] for start, end in pairwise(cuts)]
    assert read(*pieces) == read(content)


def test_A41_an_unterminated_event_is_given_apart() -> None:
    stream = EventStream()
    assert stream.feed(b"data: 1\n\ndata: 2\n") == [b"1"]
    assert stream.close() == b"2"
    assert stream.close() is None


def test_a_stream_that_ends_in_order_leaves_nothing() -> None:
    stream = EventStream()
    stream.feed(b"data: 1\n\n: bye\n\n")
    assert stream.close() is None


def test_an_event_without_end_is_refused_at_its_limit() -> None:
    stream = EventStream(limit=1000)
    stream.feed(b"data: " + b"x" * 990)
    with pytest.raises(EventTooLong, match="1,000 bytes"):
        stream.feed(b"x" * 10)


def test_a_flood_of_short_events_has_no_limit() -> None:
    stream = EventStream(limit=100)
    assert len(stream.feed(b"data: {}\n\n" * 100_000)) == 100_000


def test_a_long_event_in_tiny_pieces_stays_linear() -> None:
    text = json.dumps("x" * 2_000_000).encode()
    content = b"data: " + text + b"\n\n"
    assert read(*(content[at : at + 16] for at in range(0, len(content), 16))) == [text]
