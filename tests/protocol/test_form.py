"""A schema read as fields: the known subset as controls, everything else raw."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from support.words import json_objects, json_values

from turnwire.protocol.form import MOST_FIELDS, Choice, Field, FieldKind, fields_of, raw

COLOURS = (Choice("r", "Red"), Choice("g", "Green"))
TITLED = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]
words_of_schemas = st.sampled_from(
    [
        "type",
        "enum",
        "enumNames",
        "oneOf",
        "anyOf",
        "items",
        "const",
        "title",
        "required",
        "default",
    ]
)
schemas = st.recursive(
    json_values | st.sampled_from(["string", "array", "null", "object", True]),
    lambda inner: st.dictionaries(words_of_schemas, inner) | st.lists(inner, max_size=3),
    max_leaves=8,
)


def field(schema: Any, **around: Any) -> Field:
    fields = fields_of({"type": "object", "properties": {"f": schema}, **around})
    assert fields is not None
    return fields[0]


@pytest.mark.parametrize(
    ("schema", "kind", "choices"),
    [
        ({"type": "string"}, FieldKind.TEXT, ()),
        ({"type": "number"}, FieldKind.NUMBER, ()),
        ({"type": "integer", "minimum": 1}, FieldKind.INTEGER, ()),
        ({"type": "boolean"}, FieldKind.BOOLEAN, ()),
        ({"type": ["string", "null"]}, FieldKind.TEXT, ()),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, FieldKind.INTEGER, ()),
        (
            {"type": "string", "enum": ["r", 1]},
            FieldKind.CHOICE,
            (Choice("r", "r"), Choice(1, "1")),
        ),
        ({"enum": ["r", "g"], "enumNames": ["Red", "Green"]}, FieldKind.CHOICE, COLOURS),
        ({"enum": ["r"], "enumNames": ["Red", "x"]}, FieldKind.CHOICE, (Choice("r", "r"),)),
        ({"oneOf": TITLED}, FieldKind.CHOICE, COLOURS),
        ({"type": "string", "anyOf": TITLED}, FieldKind.CHOICE, COLOURS),
        ({"oneOf": [{"const": 5}]}, FieldKind.CHOICE, (Choice(5, "5"),)),
        ({"type": "array", "items": {"anyOf": TITLED}}, FieldKind.CHOICES, COLOURS),
    ],
)
def test_C25_the_known_subset_becomes_fields(
    schema: Any, kind: FieldKind, choices: tuple[Choice, ...]
) -> None:
    read = field(schema)
    assert (read.kind, read.choices, read.raw) == (kind, choices, None)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"deep": {"type": "string"}}},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": True},
        {"type": ["string", "integer"]},
        {"type": "uri"},
        {"type": {}},
        {"$ref": "#/$defs/x", "type": "string"},
        {"oneOf": [{"type": "string"}, {"const": 1}]},
        {"anyOf": [{"type": "null"}, "x"]},
        {"anyOf": [{"type": "null"}]},
        {"oneOf": "x"},
        {"oneOf": []},
        {"enum": []},
        {},
        True,
        "string",
        None,
    ],
)
def test_C25_what_is_not_understood_stays_raw(schema: Any) -> None:
    read = field(schema)
    assert (read.kind, read.raw) == (FieldKind.JSON, raw(schema))


@pytest.mark.parametrize(
    ("around", "part", "required"),
    [
        ({"required": ["f"]}, {}, True),
        ({"required": ["g", {}, 1]}, {}, False),
        ({"required": True}, {}, True),
        ({"required": "f"}, {}, False),
        ({"required": 1}, {}, False),
        ({"required": None}, {}, False),
        ({}, {"required": True}, True),
        ({}, {"required": "yes"}, False),
        ({}, {}, False),
    ],
)
def test_C25_nonsense_for_required_is_survived(
    around: dict[str, Any], part: dict[str, Any], required: bool
) -> None:
    assert field({"type": "string", **part}, **around).required == required


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "string", "default": "x"}, "x"),
        ({"type": "string", "default": 1}, UNSET),
        ({"type": "string", "default": None}, UNSET),
        ({"type": "integer", "default": 3}, 3),
        ({"type": "integer", "default": 3.0}, UNSET),
        ({"type": "integer", "default": True}, UNSET),
        ({"type": "number", "default": 3}, 3),
        ({"type": "boolean", "default": False}, False),
        ({"type": "boolean", "default": 0}, UNSET),
        ({"enum": [1, "x"], "default": 1}, 1),
        ({"enum": [1, "x"], "default": True}, UNSET),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "default": ["b"]}, ["b"]),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "default": ["c"]}, UNSET),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "default": "a"}, UNSET),
        ({"type": "object", "default": {"a": 1}}, {"a": 1}),
        ({"type": "object"}, UNSET),
        ({"type": "string"}, UNSET),
    ],
)
def test_H5_only_a_default_that_fits_is_offered(schema: Any, default: Any) -> None:
    offered = field(schema).default
    assert (type(offered), offered) == (type(default), default)


def test_labels_are_safe_and_names_exact() -> None:
    part = {"type": "string", "title": "Na\u202eme", "description": "a\nb", "format": "email"}
    fields = fields_of({"properties": {"n\x1b": part, "m\x1b": {"type": "string", "title": ""}}})
    assert fields is not None
    assert [(read.name, read.label) for read in fields] == [
        ("n\x1b", "Na<U+202E>me"),
        ("m\x1b", "m<ESC>"),
    ]
    assert (fields[0].description, fields[0].format) == ("a<LF>b", "email")
    assert (fields[1].description, fields[1].format) == (None, None)


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": {}}])
def test_a_schema_that_asks_nothing_has_no_fields(schema: Any) -> None:
    assert fields_of(schema) == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": ["object"]},
        {"properties": []},
        {"$ref": "http://example.org/"},
        {"allOf": [{"properties": {}}]},
        {"properties": {str(n): {"type": "string"} for n in range(MOST_FIELDS + 1)}},
    ],
)
def test_C25_a_schema_beyond_a_form_has_no_fields(schema: Any) -> None:
    assert fields_of(schema) is None


def test_C25_a_schema_of_64_kilobytes_is_bounded() -> None:
    schema = {"type": "object", "description": "x" * 64_000}
    read = field(schema)
    assert read.raw is not None
    assert len(read.raw) < 5000
    assert len(read.description or "") < 2000


@given(json_objects, st.dictionaries(st.text(), schemas, max_size=4))
def test_C25_no_schema_whatever_crashes(around: dict[str, Any], properties: Any) -> None:
    fields = fields_of({**around, "properties": properties})
    assert fields is None or [read.name for read in fields] == list(properties)
