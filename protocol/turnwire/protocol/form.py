"""A JSON Schema that a person is to fill in, read as the fields of a form.

Owns the subset of JSON Schema that a form can draw (spec/people.md); whatever lies outside of it is
shown as it is and answered as JSON. Checks no answers: the child does that against the schema itself.
"""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from turnwire.protocol.jsontext import InvalidJson, compact_json, is_array, is_object
from turnwire.protocol.text import visible

__all__ = ["Choice", "Field", "FieldKind", "fields_of", "raw"]

MOST_FIELDS = 100
"""A schema with more properties than this is no form that a person fills in; it is shown raw."""

_LONGEST_LABEL = 200
_LONGEST_TEXT = 1000
_LONGEST_RAW = 4000

_BEYOND = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "if", "patternProperties"})
"""Words that make more of a schema than a list of properties."""

_Schema = dict[str, Any]


class FieldKind(enum.StrEnum):
    """What a person enters."""

    TEXT = "text"
    """A line or lines of text."""
    NUMBER = "number"
    """Any number."""
    INTEGER = "integer"
    """A whole number."""
    BOOLEAN = "boolean"
    """Yes or no."""
    CHOICE = "choice"
    """One of ``choices``."""
    CHOICES = "choices"
    """Any of ``choices``, as a list."""
    JSON = "json"
    """JSON that fits ``raw``, which no other kind describes."""


class Choice(msgspec.Struct, frozen=True):
    """What is answered, and what is shown for it."""

    value: Any
    label: str


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a form. ``name`` is the exact key of the answer and is never shown; ``label``,
    ``description`` and ``raw`` are safe to show. ``default`` is unset where there is none that fits.
    """

    name: str
    label: str
    kind: FieldKind
    required: bool
    description: str | None = None
    default: Any = msgspec.UNSET
    choices: tuple[Choice, ...] = ()
    format: str | None = None
    raw: str | None = None


_KINDS = {
    "string": FieldKind.TEXT,
    "number": FieldKind.NUMBER,
    "integer": FieldKind.INTEGER,
    "boolean": FieldKind.BOOLEAN,
}
_PYTHON: dict[FieldKind, tuple[type, ...]] = {
    FieldKind.TEXT: (str,),
    FieldKind.NUMBER: (int, float),
    FieldKind.INTEGER: (int,),
    FieldKind.BOOLEAN: (bool,),
}


def raw(value: object) -> str:
    """Give JSON as bounded text that is safe to show."""
    try:
        return visible(compact_json(value).decode(), _LONGEST_RAW)
    except InvalidJson as wrong:
        return str(wrong)


def fields_of(schema: _Schema | None) -> tuple[Field, ...] | None:
    """Give the fields that ``schema`` asks for, none where it asks for nothing, and ``None`` where
    it is not the flat list of properties that a form can draw.
    """
    if not schema:
        return ()
    properties = schema.get("properties", {})
    if schema.get("type", "object") != "object" or not is_object(properties):
        return None
    if len(properties) > MOST_FIELDS or _BEYOND & schema.keys():
        return None
    return tuple(
        _field(name, part, required=_required(schema, name, part))
        for name, part in properties.items()
    )


def _required(schema: _Schema, name: str, part: object) -> bool:
    """Also understand ``required: true``, which is no JSON Schema but is what people write."""
    names = schema.get("required")
    if is_array(names):
        return name in names
    return names is True or (is_object(part) and part.get("required") is True)


def _field(name: str, part: object, *, required: bool) -> Field:
    schema = part if is_object(part) else {}
    kind, choices = _kind(_without_null(schema))
    title, description, hint = (schema.get(word) for word in ("title", "description", "format"))
    default = schema.get("default", msgspec.UNSET)
    return Field(
        name=name,
        label=visible(title if isinstance(title, str) and title else name, _LONGEST_LABEL),
        kind=kind,
        required=required,
        description=visible(description, _LONGEST_TEXT) if isinstance(description, str) else None,
        default=default if _fits(default, kind, choices) else msgspec.UNSET,
        choices=choices,
        format=hint if isinstance(hint, str) else None,
        raw=raw(part) if kind is FieldKind.JSON else None,
    )


def _without_null(schema: _Schema) -> _Schema:
    """Read "this or null" as this: a person leaves the field empty."""
    kinds, options = schema.get("type"), schema.get("anyOf")
    if is_array(kinds):
        others = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": others[0] if len(others) == 1 else others}
    if is_array(options):
        others = [option for option in options if option != {"type": "null"}]
        if len(others) == 1 and len(options) == 2 and is_object(others[0]):
            return others[0]
    return schema


def _kind(schema: _Schema) -> tuple[FieldKind, tuple[Choice, ...]]:
    if choices := _choices(schema):
        return FieldKind.CHOICE, choices
    kind, items = schema.get("type"), schema.get("items")
    if kind == "array" and is_object(items) and (choices := _choices(items)):
        return FieldKind.CHOICES, choices
    if _BEYOND & schema.keys() or not isinstance(kind, str):
        return FieldKind.JSON, ()
    return _KINDS.get(kind, FieldKind.JSON), ()


def _choices(schema: _Schema) -> tuple[Choice, ...]:
    values = schema.get("enum")
    if is_array(values):
        names = schema.get("enumNames")
        labels = names if is_array(names) and len(names) == len(values) else values
        return tuple(
            Choice(value, _label(label)) for value, label in zip(values, labels, strict=True)
        )
    options = schema.get("oneOf", schema.get("anyOf"))
    if not is_array(options):
        return ()
    if not all(is_object(option) and "const" in option for option in options):
        return ()
    return tuple(
        Choice(option["const"], _label(option.get("title", option["const"]))) for option in options
    )


def _label(value: object) -> str:
    return visible(value, _LONGEST_LABEL) if isinstance(value, str) else raw(value)


def _fits(default: object, kind: FieldKind, choices: tuple[Choice, ...]) -> bool:
    match kind:
        case FieldKind.CHOICE:
            return _is_choice(default, choices)
        case FieldKind.CHOICES:
            return is_array(default) and all(_is_choice(one, choices) for one in default)
        case FieldKind.JSON:
            return True
        case _:
            return type(default) in _PYTHON[kind]


def _is_choice(value: object, choices: tuple[Choice, ...]) -> bool:
    """Tell 1 from true and 1.0, which Python calls equal."""
    return any(value == choice.value and type(value) is type(choice.value) for choice in choices)
