"""Arguments come from a strict reading of the whole text, or the call never runs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import json_objects

from turnwire.protocol.jsontext import compact_json
from turnwire.runner.providers.arguments import read_arguments, split_objects

DEEP = '{"x":' * 5000 + "0" + "}" * 5000


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_A13_blank_arguments_are_an_empty_object(text: str) -> None:
    assert read_arguments(text).json == b"{}"
    assert read_arguments(text).invalid is None


def test_A14_a_twice_encoded_object_is_unwrapped_once() -> None:
    assert read_arguments(json.dumps('{"p":"a"}')).json == b'{"p":"a"}'
    assert read_arguments(json.dumps(json.dumps('{"p":"a"}'))).invalid is not None


def test_A14_a_string_in_braces_is_not_guessed_at() -> None:
    read = read_arguments('"{hello world}"')
    assert read.json == b"{}"
    assert read.invalid == "the arguments are a string and not a JSON object"


@pytest.mark.parametrize("text", ['{"v":NaN}', '{"v":-Infinity}', '{"v":1e999}', '{"a":1,"a":2}'])
def test_A16_figures_that_are_no_json_are_invalid(text: str) -> None:
    read = read_arguments(text)
    assert read.json == b"{}"
    assert read.invalid is not None
    assert "truncated" not in read.invalid


@pytest.mark.parametrize("text", [r'{"re":"\d+"}', '{"t":"a " b"}', "{'a':1}", '{"a":1}}'])
def test_A17_bad_escapes_and_quotes_are_invalid(text: str) -> None:
    assert read_arguments(text).invalid is not None


@pytest.mark.parametrize("text", [DEEP, DEEP[:20_000], json.dumps(DEEP), "[" * 100_000])
def test_A20_deep_arguments_are_invalid_and_kill_nothing(text: str) -> None:
    read = read_arguments(text)
    assert read.json == b"{}"
    assert read.invalid is not None


@pytest.mark.parametrize(
    "text", ['{"p":"a","t":"line1\\nli', '{"cmds":["ls","pwd"', "{", '{"a":', '{"a":"\\u12']
)
def test_A28_A29_cut_arguments_are_named_truncated(text: str) -> None:
    read = read_arguments(text)
    assert read.json == b"{}"
    assert read.invalid is not None
    assert "truncated" in read.invalid


@pytest.mark.parametrize("text", ["[1]", "null", "3", "1.5", "true", '"x"'])
def test_what_is_no_object_is_named_for_what_it_is(text: str) -> None:
    assert "not a JSON object" in str(read_arguments(text).invalid)


@given(json_objects)
def test_good_arguments_keep_every_value_exactly(value: dict[str, object]) -> None:
    read = read_arguments(json.dumps(value, indent=1))
    assert read.json == compact_json(value)


@given(json_objects, st.data())
def test_A28_no_prefix_of_an_object_ever_runs(
    value: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    assert read_arguments(text[:cut]).invalid is not None


def test_B07_a_lone_half_in_arguments_is_replaced() -> None:
    assert read_arguments(r'{"t":"\ud83d"}').json == '{"t":"\ufffd"}'.encode()


def test_A05_objects_are_split_only_at_announced_seams() -> None:
    text = '{"u":"a"}{"q":"}{"}'
    assert split_objects(text, [9]) == ['{"u":"a"}', '{"q":"}{"}']
    assert split_objects(text, [16]) == [text]
    assert split_objects(text, []) == [text]
    assert split_objects('{"u":"a"}{"q":', [9]) == ['{"u":"a"}{"q":']


def test_hostile_seams_cost_no_more_than_the_text() -> None:
    text = '{"a":"' + "}{" * 50_000
    assert split_objects(text, range(8, 50_000)) == [text]
