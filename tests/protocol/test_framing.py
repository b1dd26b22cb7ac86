"""Lines out: one line whatever comes in, and parts of those that are too long."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.protocol.events import Part
from turnwire.protocol.framing import (
    LEAST_LINE_BYTES,
    FramingError,
    PartJoiner,
    encode_line,
    escape_separators,
    split_parts,
)

SEPARATORS = "a\u2028b\u2029c\u0085d\x0b\x0c\x1ce"
limits = st.integers(LEAST_LINE_BYTES, LEAST_LINE_BYTES + 100)
"""A hundred neighbouring limits put the border at every place of a repeated piece."""
awkward = st.text(st.sampled_from('"\\\t\x1fa é\u2028字\U0001f378')) | st.text()
long_texts = st.builds(lambda head, piece: head + piece * 3000, awkward, awkward)


def json_text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def joined(lines: list[bytes]) -> bytes | None:
    joiner, whole = PartJoiner(), None
    for line in lines:
        word = json.loads(line)
        assert word.pop("type") == "part"
        whole = joiner.feed(Part(**word))
    return whole


def part(part_of: int, index: int, *, last: bool = False) -> Part:
    return Part(part_of=part_of, index=index, last=last, data="x")


def test_B04_separators_become_escapes_of_one_line() -> None:
    line = encode_line(json_text(SEPARATORS))
    assert line.decode().splitlines() == [line.decode().removesuffix("\n")]
    assert rb"a\u2028b\u2029c\u0085d" in line
    assert json.loads(line) == SEPARATORS


@given(st.text())
def test_B04_any_text_survives_as_one_line(text: str) -> None:
    line = encode_line(json_text(text))
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == text


@pytest.mark.parametrize("text", ["…", "‧", "\u202a", "Â", "À", "\u0084", "字", "plain"])
def test_neighbours_of_the_separators_stay_as_written(text: str) -> None:
    assert escape_separators(json_text(text)) == json_text(text)


def test_B04_pretty_printed_json_is_one_line() -> None:
    line = encode_line(b'{\r\n\t"a":\n[1,\r2]}')
    assert line == b'{  \t"a": [1, 2]}\n'


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537])
def test_B02_the_limit_counts_the_line_feed(size: int) -> None:
    line = encode_line(b'"' + b"x" * (size - 3) + b'"')
    lines = list(split_parts(line, seq=7, limit=65_536))
    assert len(line) == size
    assert (lines == [line]) == (size <= 65_536)


def test_B02_text_that_grows_by_escaping_fits() -> None:
    line = encode_line(json_text("\u2028" * 30_000))
    lines = list(split_parts(line, seq=7, limit=65_536))
    assert max(map(len, lines)) <= 65_536
    assert json.loads(joined(lines) or b"") == "\u2028" * 30_000


def test_no_limit_means_no_parts() -> None:
    line = encode_line(b'"' + b"x" * 1_000_000 + b'"')
    assert list(split_parts(line, seq=1, limit=0)) == [line]


@pytest.mark.parametrize("limit", [1, LEAST_LINE_BYTES - 1, -1])
def test_a_limit_that_holds_nothing_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="line limit"):
        list(split_parts(b'"x"\n' * 2000, seq=1, limit=limit))


@given(long_texts, limits, st.integers(1, 2**53))
def test_B01_parts_fit_and_join_to_the_event(text: str, limit: int, seq: int) -> None:
    line = encode_line(json_text(text))
    lines = list(split_parts(line, seq=seq, limit=limit))
    if len(line) <= limit:
        assert lines == [line]
        return
    assert all(len(piece) <= limit for piece in lines)
    assert all(len(piece.decode().splitlines()) == 1 for piece in lines)
    assert joined(lines) == line.removesuffix(b"\n")


@pytest.mark.parametrize("character", ["\\", '"', "字", "\u2028"])
def test_B01_long_events_make_few_parts(character: str) -> None:
    line = encode_line(json_text(character * 1_000_000))
    lines = list(split_parts(line, seq=1, limit=65_536))
    assert len(lines) <= 2 * len(line) // 65_000 + 1
    assert joined(lines) == line.removesuffix(b"\n")


def test_B04_a_tab_between_words_survives_parts() -> None:
    line = encode_line(b'{"a":\t"' + b"x" * 5000 + b'"}')
    lines = list(split_parts(line, seq=1, limit=LEAST_LINE_BYTES))
    assert joined(lines) == line.removesuffix(b"\n")


def test_two_events_in_parts_follow_one_another() -> None:
    joiner = PartJoiner()
    for seq in (3, 4):
        assert joiner.feed(part(seq, 0)) is None
        assert joiner.feed(part(seq, 1)) is None
        assert joiner.feed(part(seq, 2, last=True)) == b"xxx"
    joiner.settle()


@pytest.mark.parametrize(
    "parts",
    [
        [part(3, 1)],
        [part(3, 0), part(3, 2)],
        [part(3, 0), part(3, 1), part(3, 1)],
        [part(3, 0), part(4, 1)],
        [part(3, 0), part(3, 0)],
        [part(3, 0), part(4, 0)],
        [part(3, 0, last=True), part(3, 1)],
    ],
)
def test_parts_that_make_no_event_are_faults(parts: list[Part]) -> None:
    joiner = PartJoiner()
    for good in parts[:-1]:
        joiner.feed(good)
    with pytest.raises(FramingError):
        joiner.feed(parts[-1])
    assert joiner.feed(part(9, 0, last=True)) == b"x"


def test_a_line_between_parts_is_a_fault() -> None:
    joiner = PartJoiner()
    joiner.feed(part(3, 0))
    with pytest.raises(FramingError, match="event 3 stops after 1 parts"):
        joiner.settle()
    joiner.settle()


def test_a_child_gone_wild_cannot_fill_its_host() -> None:
    joiner = PartJoiner(limit=3)
    for index in range(3):
        joiner.feed(part(3, index))
    with pytest.raises(FramingError, match="longer than 3 bytes"):
        joiner.feed(part(3, 3))
    with pytest.raises(FramingError, match="out of place"):
        joiner.feed(part(3, 4))
