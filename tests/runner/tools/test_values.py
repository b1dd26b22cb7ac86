"""What functions return, as text (R7)."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.runner.tools.values import serialise


class Colour(enum.Enum):
    RED = "red"


class Point(msgspec.Struct):
    x: int


@dataclasses.dataclass
class Place:
    name: str
    point: Point


class Model:
    """After pydantic's manner."""

    def model_dump(self) -> dict[str, Any]:
        return {"colour": Colour.RED}


class Hostile:
    @property
    def model_dump(self) -> None:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise SystemError("no")


class Pair(NamedTuple):
    left: int
    right: int


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is\n", "as it is\n"),
        (None, ""),
        (True, "true"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ((1, 2), "[1, 2]"),
        ({3, 1, 2}, "[1, 2, 3]"),
        (b"caf\xc3\xa9", '"café"'),
        (b"\xff\x00", '"base64:/wA="'),
        (Colour.RED, '"red"'),
        (Place("here", Point(1)), '{"name": "here", "point": {"x": 1}}'),
        (Model(), '{"colour": "red"}'),
        (Pair(1, 2), '{"left": 1, "right": 2}'),
        (datetime.date(2026, 1, 2), '"2026-01-02"'),
        (decimal.Decimal("0.10"), '"0.10"'),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (pathlib.PurePosixPath("/a"), '"/a"'),
        (ValueError("why"), '"ValueError: why"'),
        ({1: "a", "1": "b", None: "c"}, '{"1": "a", "1 (str)": "b", "null": "c"}'),
        (2**70, "1180591620717411303424"),
        (Hostile(), '"<Hostile>"'),
        (object, "\"<class 'object'>\""),
    ],
)
def test_R7_values_become_text_by_stated_rules(value: object, text: str) -> None:
    assert serialise(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, '"NaN"'),
        ([math.inf, -math.inf], '["Infinity", "-Infinity"]'),
        ({math.nan: 1e999}, '{"NaN": "Infinity"}'),
    ],
)
def test_A16_numbers_that_json_lacks_are_words(value: object, text: str) -> None:
    assert serialise(value) == text


def test_R7_circles_are_named_not_followed() -> None:
    circle: dict[str, Any] = {"a": 1}
    circle["self"] = circle
    shared = [1]
    assert serialise(circle) == '{"a": 1, "self": "<circle>"}'
    assert serialise([shared, shared]) == "[[1], [1]]"


def test_R7_depth_is_bounded() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert '"<list, too deep>"' in serialise(deep)


def test_R7_endless_integers_do_not_fail() -> None:
    assert serialise([10**5_000]).startswith('["0x')


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
)


@given(_anything.filter(lambda value: value is not None and not isinstance(value, str)))
def test_A16_every_value_is_strict_json(value: object) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(serialise(value), parse_constant=refuse)
