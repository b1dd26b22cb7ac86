"""Halves of surrogate pairs are joined where they meet and replaced where they do not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.runner.providers.surrogates import Mender, mend_escapes

anything = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83c\udf78a"))


def mended(*pieces: str) -> str:
    mender = Mender()
    return "".join([*map(mender.mend, pieces), mender.close()])


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["a\ud83c", "\udf78b"], "a🍸b"),
        (["\ud83c", "", "\udf78"], "🍸"),
        (["\ud83c"], "\ufffd"),
        (["\ud83c", "x"], "\ufffdx"),
        (["\udf78", "\ud83c"], "\ufffd\ufffd"),
        (["\ud83c\ud83c", "\udf78"], "\ufffd🍸"),
        (["🍸é"], "🍸é"),
    ],
)
def test_B08_halves_in_two_pieces_become_one_character(pieces: list[str], expected: str) -> None:
    assert mended(*pieces) == expected


@given(st.lists(anything, max_size=8))
def test_B08_pieces_give_what_the_whole_gives(pieces: list[str]) -> None:
    assert mended(*pieces) == mended("".join(pieces))
    mended(*pieces).encode()


@given(st.lists(anything, max_size=8))
def test_B07_every_single_piece_is_well_formed(pieces: list[str]) -> None:
    mender = Mender()
    for piece in pieces:
        mender.mend(piece).encode()


@given(anything)
def test_B07_escaped_halves_become_replacement_characters(text: str) -> None:
    mended_json = mend_escapes(json.dumps(text))
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert json.loads(mended_json) == joined


def test_B07_an_escaped_backslash_is_no_escape() -> None:
    assert mend_escapes(r'"\\ud83c"') == r'"\\ud83c"'
    assert mend_escapes(r'"\\\ud83c\u0041"') == r'"\\\ufffd\u0041"'
