"""The published JSON Schema says what the types say, to a validator that knows no turnwire."""

from __future__ import annotations

import copy
import enum
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.story import STORY, told
from support.words import COMMAND_TYPES, EVENT_TYPES, commands, events

from turnwire.protocol.codec import decode_command, decode_event, encode_command, encode_event
from turnwire.protocol.commands import Command
from turnwire.protocol.events import Event
from turnwire.protocol.schema import digest_of, drift, schemas, write
from turnwire.protocol.version import PROTOCOL

PUBLISHED = Path(__file__).parents[2] / "spec" / "schema"
FILES = {name: json.loads(text) for name, text in schemas().items()}
EVENTS = jsonschema.Draft202012Validator(FILES["events.schema.json"])
LINES = jsonschema.Draft202012Validator(FILES["lines.schema.json"])
ROW = {"type": "row", "seq": 1, "at": 2, "id": "t1"}
ANSWER = {"type": "answer", "id": "r1", "action": "accept"}


def test_the_published_schema_is_what_the_types_say() -> None:
    assert drift(str(PUBLISHED)) == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_schema_is_itself_valid(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(FILES[name])
    assert FILES[name]["$id"] == f"urn:turnwire:{PROTOCOL}:{name.partition('.')[0]}"
    assert schemas()[name] == schemas()[name]


@given(events)
def test_every_event_fits_the_schema(event: Event) -> None:
    text = encode_event(event)
    EVENTS.validate(json.loads(text))
    assert decode_event(text) == event


@given(commands)
def test_every_host_line_fits_the_schema(command: Command) -> None:
    text = encode_command(command)
    LINES.validate(json.loads(text))
    assert decode_command(text) == command


def test_a_whole_story_fits_the_schema() -> None:
    happened = told(STORY)
    assert {type(event).__name__ for event in happened} == {
        word.__name__ for word in EVENT_TYPES if word.__name__ != "Part"
    }
    for event in happened:
        EVENTS.validate(json.loads(encode_event(event)))


@pytest.mark.parametrize(
    "event",
    [
        {**ROW, "kind": "dream", "colour": {"a": 1}},
        {**ROW, "error": {"code": "melted", "message": "m", "fault": "tool", "heat": 9}},
        {"type": "refused", "seq": 1, "at": 2, "code": "later", "message": "m", "lines": [1, 2]},
    ],
)
def test_open_words_and_unknown_fields_are_valid(event: dict[str, Any]) -> None:
    EVENTS.validate(event)
    decode_event(json.dumps(event).encode())


def test_unknown_fields_of_host_lines_are_valid() -> None:
    LINES.validate({**ANSWER, "mood": "good"})


@pytest.mark.parametrize(
    "line",
    [
        {},
        {**ANSWER, "id": 7},
        {**ANSWER, "action": "ALLOW"},
        {**ANSWER, "type": "allow"},
        {**ANSWER, "content": []},
        {"type": "answer", "id": "r1"},
        {"behavior": "allow"},
        [ANSWER],
    ],
)
def test_C17_what_the_child_refuses_is_invalid(line: Any) -> None:
    assert not LINES.is_valid(line)


@given(st.sampled_from(told(STORY)), st.data())
def test_a_field_of_a_wrong_type_is_invalid(event: Event, data: st.DataObject) -> None:
    word = json.loads(encode_event(event))
    anything = {"data", "output", "arguments"}
    broken = data.draw(st.sampled_from([name for name in word if name not in anything]))
    word[broken] = [{}]
    assert not EVENTS.is_valid(word)


@pytest.mark.parametrize("words", [EVENT_TYPES, COMMAND_TYPES])
def test_every_word_is_described(words: tuple[type, ...]) -> None:
    name = "events.schema.json" if words is EVENT_TYPES else "lines.schema.json"
    defined = FILES[name]["$defs"]
    assert {word.__name__ for word in words} <= defined.keys()
    for part in defined.values():
        assert part["description"]
        assert "``" not in part["description"]
        assert ":class:" not in part["description"]


def test_every_member_of_an_enum_says_its_meaning() -> None:
    defined = {name: part for file in FILES.values() for name, part in file["$defs"].items()}
    vocabularies = {kind.__name__: kind for kind in enum.StrEnum.__subclasses__()}
    named = [name for name in defined if "enum" in defined[name]]
    assert "RowStatus" in named
    assert "RefusalCode" in named
    for name in named:
        assert defined[name]["enum"] == [member.value for member in vocabularies[name]]
        for member in defined[name]["enum"]:
            assert f"`{member}`: " in defined[name]["description"]


def test_a_written_schema_does_not_drift(tmp_path: Path) -> None:
    assert write(str(tmp_path / "new")) == digest_of(schemas())
    assert {file.name: file.read_bytes() for file in (tmp_path / "new").iterdir()} == schemas()
    assert drift(str(tmp_path / "new")) == []


def test_drift_names_what_differs(tmp_path: Path) -> None:
    write(str(tmp_path))
    (tmp_path / "events.schema.json").unlink()
    (tmp_path / "lines.schema.json").write_text("{}")
    assert drift(str(tmp_path), "0" * 64) == [
        "events.schema.json is missing",
        "lines.schema.json is not what the types say",
        f"SCHEMA_SHA256 in version.py should be {digest_of(schemas())}",
    ]


def test_the_digest_covers_every_byte() -> None:
    changed = copy.copy(schemas())
    changed["lines.schema.json"] += b" "
    assert digest_of(changed) != digest_of(schemas())
