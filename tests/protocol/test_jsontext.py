"""JSON of others: read strictly, written compactly, never changed in between."""

from __future__ import annotations

import contextlib
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import json_values

from turnwire.protocol.jsontext import DEEPEST, InvalidJson, compact_json, digest, strict_json

FIVE_THOUSAND_LEVELS = '{"x":' * 5000 + "0" + "}" * 5000


@given(json_values)
def test_json_of_others_survives_both_ways(value: object) -> None:
    written = compact_json(value)
    assert strict_json(written) == value
    assert strict_json(written.decode()) == value
    assert written == compact_json(strict_json(written))


@given(json_values)
def test_any_writer_of_json_is_understood(value: object) -> None:
    assert strict_json(json.dumps(value, indent=1)) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"v":NaN}', "NaN is no JSON number"),
        ("[-Infinity]", "-Infinity is no JSON number"),
        ('{"v":1e999}', "a number is out of range"),
        ("[-1e999]", "a number is out of range"),
        ("9" * 4301, "an integer has too many digits"),
        ('{"a":1,"a":1}', "the key a stands twice in one object"),
        ('[{"b":{"\u202e":1,"c":2,"\u202e":3}}]', "the key <U+202E> stands twice in one object"),
        ('{"a":1,"\\u0061":2}', "the key a stands twice in one object"),
        (r'"\ud83d"', "half of a surrogate pair stands alone"),
        (r'{"\uDC97":1}', "half of a surrogate pair stands alone"),
        ('"\ud800"', "half of a surrogate pair stands alone"),
        (b'"\xe5\x8c"', "no UTF-8: byte 2 is out of place"),
        (b'"\xed\xa0\x80"', "no UTF-8: byte 2 is out of place"),
        ("", "no JSON: Expecting value, character 1"),
        ('"a\nb"', "no JSON: Invalid control character, character 3"),
        ("\ufeff1", "no JSON: Expecting value, character 1"),
        (FIVE_THOUSAND_LEVELS, "more than 200 levels inside one another"),
    ],
)
def test_A16_what_is_no_json_is_named(text: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidJson) as refused:
        strict_json(text)
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    "text",
    ["01", "+1", ".5", "1.", "１", "0x1", "True", "{'a':1}", "[1,]", "1 2", r'"\d"', '"a " b"'],
)
def test_A17_lenient_forms_are_refused(text: str) -> None:
    with pytest.raises(InvalidJson):
        strict_json(text)


@pytest.mark.parametrize(
    "text", ['{"a":{"a":[{"a":1},{"a":1}]}}', r'"\ud83c\udf78"', "9" * 4300, "1e-999", " \t1\r\n"]
)
def test_what_only_looks_wrong_is_read(text: str) -> None:
    assert strict_json(text) == json.loads(text)


def test_big_integers_stay_exact_both_ways() -> None:
    assert compact_json(strict_json(b'{"id": 9007199254740993, "n": -18446744073709551617}')) == (
        b'{"id":9007199254740993,"n":-18446744073709551617}'
    )


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_A20_the_bound_on_levels_is_exact(opening: str, closing: str) -> None:
    times = DEEPEST // (opening.count("[") + opening.count("{"))
    inner = '"[[' + r"\"[{" * 300 + r'\\"'
    strict_json(opening * times + inner + closing * times)
    with pytest.raises(InvalidJson, match="levels"):
        strict_json(opening * times + "[" + inner + "]" + closing * times)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "[{" * 100_000, "]" * 5000 + "[" * 300, '"' + "[" * 999]
)
def test_A20_deep_garbage_never_crashes(text: str) -> None:
    with pytest.raises(InvalidJson):
        strict_json(text)


def test_A20_strings_do_not_hide_depth() -> None:
    with pytest.raises(InvalidJson, match="levels"):
        strict_json(r'["\\",["\\\"",' + "[" * 200 + "]" * 200 + "]]")


def test_many_shallow_lists_are_no_depth() -> None:
    assert len(strict_json("[" + "[]," * 100_000 + "[]]")) == 100_001


@given(st.binary() | st.text())
def test_any_text_is_read_or_refused(text: bytes | str) -> None:
    with contextlib.suppress(InvalidJson):
        json.dumps(strict_json(text), allow_nan=False, ensure_ascii=False).encode()


def test_B04_compact_json_escapes_the_separators() -> None:
    assert compact_json({"a": "b\u2028\u2029\u0085é"}) == '{"a":"b\\u2028\\u2029\\u0085é"}'.encode()


def circle() -> list[object]:
    items: list[object] = []
    items.append(items)
    return items


def deep() -> list[object]:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [float("nan"), [float("inf")], "\ud800", {1, 2}, b"x", circle(), {"a": object()}]
)
def test_A16_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(InvalidJson, match=r"^not to be written as JSON: .+"):
        compact_json(value)


def test_A20_writing_a_deep_value_is_refused() -> None:
    with pytest.raises(InvalidJson):
        compact_json(deep())


def test_a_digest_is_sha256_in_hexadecimal() -> None:
    assert digest(b"{}") == hashlib.sha256(b"{}").hexdigest()
