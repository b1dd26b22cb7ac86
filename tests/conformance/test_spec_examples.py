"""Every JSON example in the pages of the spec is a word of the protocol, whole and nothing more."""

from __future__ import annotations

import functools
from typing import Any, get_args

import jsonschema
import msgspec
import pytest
from support.spec_pages import Example, examples

from turnwire.protocol.codec import (
    Unknown,
    decode_command,
    decode_event,
    encode_command,
    encode_event,
)
from turnwire.protocol.commands import Command
from turnwire.protocol.events import Event, Part
from turnwire.protocol.framing import PartJoiner, encode_line
from turnwire.protocol.jsontext import strict_json
from turnwire.protocol.schema import schemas

EXAMPLES = list(examples())
EVENT_TYPES = {str(word.__struct_config__.tag) for word in get_args(Event)}
LINE_TYPES = {str(word.__struct_config__.tag) for word in get_args(Command)}


def _type(example: Example) -> str:
    return str(strict_json(example.text)["type"])


EVENTS = [example for example in EXAMPLES if _type(example) not in LINE_TYPES]
LINES = [example for example in EXAMPLES if _type(example) in LINE_TYPES]


def _named(example: Example) -> str:
    return f"{example.page}-{_type(example)}"


@functools.cache
def _validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(msgspec.json.decode(schemas()[name]))


@pytest.mark.parametrize("example", EVENTS, ids=_named)
def test_event_example_is_exactly_what_a_child_writes(example: Example) -> None:
    event = decode_event(example.text.encode())

    assert not isinstance(event, Unknown)
    assert strict_json(encode_event(event)) == strict_json(example.text)


@pytest.mark.parametrize("example", LINES, ids=_named)
def test_line_example_is_taken_and_holds_no_unknown_field(example: Example) -> None:
    command = decode_command(example.text.encode())

    assert strict_json(example.text).items() <= strict_json(encode_command(command)).items()


@pytest.mark.parametrize("example", EXAMPLES, ids=_named)
def test_example_fits_the_schema_of_its_direction(example: Example) -> None:
    direction = "lines" if _type(example) in LINE_TYPES else "events"

    _validator(f"{direction}.schema.json").validate(msgspec.json.decode(example.text))


def test_every_type_of_both_directions_has_an_example() -> None:
    assert {_type(example) for example in EXAMPLES} == EVENT_TYPES | LINE_TYPES


def test_example_of_parts_joins_into_the_event_below_it() -> None:
    on_page = [example.text for example in EXAMPLES if example.page == "framing.md"]
    *parts, whole = on_page
    joiner = PartJoiner()
    joined = b""
    for text in parts:
        part = decode_event(text.encode())
        assert isinstance(part, Part)
        joined = joiner.feed(part) or b""

    assert joined == whole.encode()
    assert encode_line(joined) == encode_line(whole.encode())
