"""The vectors of single lines: the valid ones mean what they say, the others are refused as they say."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from support.spec_vectors import VECTORS, line_of, messages

from turnwire.protocol.codec import (
    BadLine,
    Unknown,
    WrongWord,
    decode_command,
    decode_event,
    encode_command,
    encode_event,
)
from turnwire.protocol.commands import Command
from turnwire.protocol.events import Event, Limits, RefusalCode
from turnwire.protocol.framing import Line, LineReader, encode_line
from turnwire.protocol.jsontext import strict_json

TO_CHILD, TO_HOST = messages("valid", "child"), messages("valid", "host")
REFUSED, FAULTS = messages("invalid", "child"), messages("invalid", "host")


def _name(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def _refusal(vector: dict[str, Any]) -> tuple[str, str | None]:
    """Read the line as the child does: framed first, then decoded."""
    (line,) = LineReader(limit=Limits().answer_bytes).feed(b"\n" + line_of(vector) + b"\n")
    if not isinstance(line, Line):
        return RefusalCode.TOO_LONG, None
    with pytest.raises(BadLine) as refused:
        decode_command(line.data)
    assert refused.value.message
    return refused.value.code, refused.value.id


@pytest.mark.parametrize("vector", TO_CHILD, ids=_name)
def test_valid_host_line_means_what_its_vector_says(vector: dict[str, Any]) -> None:
    command = decode_command(line_of(vector))

    if "value" in vector:
        assert strict_json(encode_command(command)) == vector["value"]


@pytest.mark.parametrize("vector", REFUSED, ids=_name)
def test_B28_C17_invalid_host_line_is_refused_with_its_code(vector: dict[str, Any]) -> None:
    assert _refusal(vector) == (vector["code"], vector.get("id"))


@pytest.mark.parametrize("vector", TO_HOST, ids=_name)
def test_valid_event_means_what_its_vector_says(vector: dict[str, Any]) -> None:
    event = decode_event(line_of(vector))

    if "unknown" in vector:
        assert isinstance(event, Unknown)
    else:
        assert not isinstance(event, Unknown)
        assert strict_json(encode_event(event)) == vector["value"]


@pytest.mark.parametrize("vector", FAULTS, ids=_name)
def test_invalid_event_is_a_fault_of_the_child(vector: dict[str, Any]) -> None:
    with pytest.raises(WrongWord):
        decode_event(line_of(vector))


def test_vectors_cover_every_type_of_both_directions() -> None:
    types = {vector["value"]["type"] for vector in [*TO_CHILD, *TO_HOST] if "value" in vector}

    words: tuple[type[msgspec.Struct], ...] = (*get_args(Event), *get_args(Command))
    assert types == {str(word.__struct_config__.tag) for word in words}


def test_every_vector_has_a_name_of_its_own() -> None:
    names = [_name(vector) for vector in [*TO_CHILD, *TO_HOST, *REFUSED, *FAULTS]]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", sorted(VECTORS.rglob("*.jsonl")), ids=lambda path: path.name)
def test_B04_vector_files_are_safe_for_any_line_reader(path: Any) -> None:
    text = path.read_text("utf-8")

    assert text.splitlines() == text.split("\n")[:-1]


def test_B04_written_line_holds_no_other_line_end() -> None:
    vector = next(vector for vector in TO_CHILD if "line separators" in _name(vector))
    line = encode_line(encode_command(decode_command(line_of(vector)))).decode()

    assert len(line.splitlines()) == 1
