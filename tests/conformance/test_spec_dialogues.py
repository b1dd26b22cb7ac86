"""Each dialogue of the spec, line by line, with a real child on real pipes; and that its lines are true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.spec_dialogues import dialogues, play, steps_of

from turnwire.protocol.codec import Unknown, decode_command, decode_event, encode_event
from turnwire.protocol.events import Delta, Part, Refused
from turnwire.protocol.framing import LEAST_LINE_BYTES, PartJoiner, encode_line
from turnwire.protocol.jsontext import compact_json
from turnwire.protocol.view import View

ALL = dialogues()


def _events(path: Path) -> list[Any]:
    """The lines of the child as words; every field of each is one that the word has."""
    _, steps = steps_of(path)
    words = []
    for line in (step["line"] for step in steps if step.get("to") == "host"):
        word = decode_event(compact_json(line))
        assert not isinstance(word, Unknown)
        assert json.loads(encode_event(word)) == line
        words.append(word)
    return words


def _whole(words: list[Any]) -> list[Any]:
    """The events of a dialogue with the parts of each joined."""
    joiner, whole = PartJoiner(), []
    for word in words:
        joined = joiner.feed(word) if isinstance(word, Part) else encode_event(word)
        whole += [] if joined is None else [decode_event(joined)]
    joiner.settle()
    return whole


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_child_says_the_dialogue_and_nothing_else(path: Path, tmp_path: Path) -> None:
    """What each of them shows:

    accepted-for-the-session P15 C11 · answers-end P6 B29 · answers-in-any-order P13 C14 · approved T1 S2 P1 ·
    calls-that-cannot-run T4 T5 P12 A28 · chat, chat-goes-on C6 C12 · declined T7 P8 C19 · interrupted T19 ·
    interrupted-question P7 C16 · malformed-lines B28 C17 · max-rounds T13 U3 · no-rounds U4 ·
    nobody-to-ask P6 C01 · one-of-three-denied T10 T21 C13 · output-limit T14 · stuck T20 C19
    """
    head, steps = steps_of(path)

    assert play(head, steps, tmp_path) == [head["exit"]]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_dialogue_can_be_played_to_a_host_as_it_stands(path: Path) -> None:
    words = _whole(_events(path))
    settled = [word.seq for word in words if not isinstance(word, Delta)]

    assert settled == list(range(1, len(settled) + 1))
    assert words[-1].last_seq == words[-1].seq
    assert words[-1].exit_code == steps_of(path)[0]["exit"]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_each_host_line_of_a_dialogue_has_one_answer_in_order(path: Path) -> None:
    _, steps = steps_of(path)
    sent = [step for step in steps if step.get("to") == "child" and "end" not in step]
    numbers = [number for number, step in enumerate(sent, 1) if step.get("text", "{}").strip()]
    answers = [
        word for word in _events(path) if word.__struct_config__.tag in ("accepted", "refused")
    ]

    assert [word.line for word in answers] == numbers
    for step in sent:
        if "line" in step:
            decode_command(compact_json(step["line"]))


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_S5_view_of_a_dialogue_needs_no_deltas(path: Path) -> None:
    words = _whole(_events(path))
    live, late = View(), View()
    for word in words:
        live.apply(word)
    for word in words:
        if not isinstance(word, Delta):
            late.apply(word)

    assert list(live.walk()) == list(late.walk())
    assert live.transcript() == late.transcript()


def test_B02_no_line_of_the_parts_dialogue_is_too_long() -> None:
    (path,) = [path for path in ALL if path.stem == "parts"]
    lines = [encode_line(encode_event(word)) for word in _events(path)]

    assert max(map(len, lines)) <= LEAST_LINE_BYTES
    assert any(isinstance(word, Part) for word in _events(path))


def test_dialogues_show_a_refusal_of_every_kind_that_one_run_can_have() -> None:
    codes = {w.code for path in ALL for w in _events(path) if isinstance(w, Refused)}

    assert codes >= {"malformed", "unknown_type", "unknown_id", "already_closed", "wrong_kind"}
    assert codes >= {
        "digest_mismatch",
        "invalid_content",
        "no_turn",
        "turn_in_progress",
        "unknown_turn",
    }
