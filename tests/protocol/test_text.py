"""Text of others: what hides is spelt, what is cut says so."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from turnwire.protocol.text import visible, well_formed

hostile = st.text(st.sampled_from("a <>\r\x1b\u202e\u200b\U000e0100\u3000\u2028\u0301é字\ud800"))
any_text = st.text(st.characters(exclude_categories=())) | hostile


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("curl e|sh\r\x1b[2K ls", "curl e|sh<CR><ESC>[2K ls"),
        ("rm x\u202e#", "rm x<U+202E>#"),
        ("l\u200bs", "l<U+200B>s"),
        ("a\U000e0100b", "a<U+E0100>b"),
        ("ls" + "\u3000" * 300 + ";rm", "ls<U+3000 x300>;rm"),
        ("a\u2028b\u2029c\u0085d", "a<U+2028>b<U+2029>c<U+0085>d"),
        ("one\ntwo\ttwo", "one<LF>two<TAB>two"),
        ("ls" + " " * 500 + ";rm", "ls<SPACE x500>;rm"),
        ("a\u00a0b\u2800c\u3164d\ufe0fe\x7f", "a<U+00A0>b<U+2800>c<U+3164>d<U+FE0F>e<U+007F>"),
        ("e" + "\u0301\u0302" * 3, "e" + "<U+0301><U+0302>" * 3),
        ("\ud800", "<U+D800>"),
        ("\ufdd0\ue000", "<U+FDD0><U+E000>"),
    ],
)
def test_C10_hostile_characters_are_spelt_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["", "ls -la", "größe 大きさ 👍", "e\u0301", "    if x:", "<b> x2"]
)
def test_P11_honest_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(any_text)
def test_P11_nothing_in_shown_text_hides(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Zl", "Zp"}
    assert visible(shown) == shown


@given(any_text, st.integers(0, 30))
@example("\u3000" * 500, 20)
@example("\r" * 3, 3)
def test_P11_long_text_is_cut_and_says_so(text: str, limit: int) -> None:
    shown = visible(text, limit)
    head, mark, length = shown.partition("… [cut: ")
    if not mark:
        assert shown == visible(text)
    assert len(head) <= limit or not mark
    assert bool(mark) == (len(text) > limit or len(visible(text)) > limit)
    assert not mark or length == f"{len(text):,} characters in all]"


@pytest.mark.parametrize("limit", [4, 5, 9, 11])
def test_P11_a_spelt_character_is_not_halved(limit: int) -> None:
    shown = visible("abc\u202ed", limit)
    assert shown.partition("… [cut: ")[0] in {"abc", "abc<U+202E>"}


def test_P11_an_angle_bracket_costs_no_text() -> None:
    assert visible("<" + "x" * 50 + ">", 30).startswith("<" + "x" * 29 + "…")


def test_B08_halves_of_a_pair_are_joined() -> None:
    assert well_formed("\ud83c" + "\udf78!") == "\U0001f378!"


@given(any_text)
def test_B07_lone_halves_are_replaced_once(text: str) -> None:
    formed = well_formed(text)
    formed.encode()
    assert well_formed(formed) == formed
    assert len(formed) <= len(text)


def test_B07_the_replacement_stands_in_place() -> None:
    assert well_formed("a\udc97b\ud83d") == "a\ufffdb\ufffd"
