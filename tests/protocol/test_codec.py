"""Words and their text: what is valid goes both ways, what is wrong is refused in one sentence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import commands, events, json_values, texts

from turnwire.protocol.codec import (
    BadLine,
    Unknown,
    WrongWord,
    decode_command,
    decode_event,
    encode_command,
    encode_event,
)
from turnwire.protocol.commands import Answer, Command
from turnwire.protocol.events import Event, RefusalCode, Row
from turnwire.protocol.framing import LineReader, encode_line
from turnwire.protocol.people import Action

ANSWER = '{"type":"answer","id":TEXT,"action":"accept", "decline" or "cancel"}'
DEEP = '{"x":' * 5000 + "0" + "}" * 5000


def refused(line: str | bytes) -> BadLine:
    with pytest.raises(BadLine) as caught:
        decode_command(line if isinstance(line, bytes) else line.encode())
    return caught.value


@given(events)
def test_S7_every_event_survives_the_wire(event: Event) -> None:
    (line,) = LineReader().feed(encode_line(encode_event(event)))
    assert decode_event(line.data) == event  # type: ignore[union-attr]


@given(commands)
def test_B28_every_host_line_survives_the_wire(command: Command) -> None:
    (line,) = LineReader().feed(encode_line(encode_command(command)))
    assert decode_command(line.data) == command  # type: ignore[union-attr]


def test_fields_that_nobody_knows_are_ignored() -> None:
    assert decode_command(b'{"x":[1],"action":"accept","type":"answer","id":"r1","allow":0}') == (
        Answer(id="r1", action=Action.ACCEPT)
    )
    assert decode_event(b'{"type":"row","seq":1,"at":2,"id":"t1","colour":{"a":1}}') == (
        Row(seq=1, at=2, id="t1")
    )


@pytest.mark.parametrize(
    ("line", "code", "line_id"),
    [
        ('{"behavior":"allow"}', RefusalCode.UNKNOWN_TYPE, None),
        ('{"allow":"false","id":"r1"}', RefusalCode.UNKNOWN_TYPE, "r1"),
        ('{"decision":"ALLOW"}', RefusalCode.UNKNOWN_TYPE, None),
        ('{"decision":null}', RefusalCode.UNKNOWN_TYPE, None),
        ("{}", RefusalCode.UNKNOWN_TYPE, None),
        ('[{"type":"answer"}]', RefusalCode.MALFORMED, None),
        ('"accept"', RefusalCode.MALFORMED, None),
        ("true", RefusalCode.MALFORMED, None),
        ('{"type":"answer","id":7,"action":"accept"}', RefusalCode.MALFORMED, None),
        ('{"type":"answer","id":"r1"}', RefusalCode.MALFORMED, "r1"),
        ('{"type":"answer","id":"r1","action":"ALLOW"}', RefusalCode.MALFORMED, "r1"),
        ('{"type":"answer","id":"r1","action":"reject"}', RefusalCode.MALFORMED, "r1"),
        ('{"type":"answer","id":"r1","action":true}', RefusalCode.MALFORMED, "r1"),
        ('{"type":"answer","id":"r1","action":null}', RefusalCode.MALFORMED, "r1"),
        ('{"type":"answer","id":"r1","action":"accept","action":"decline"}', "malformed", "r1"),
        ('{"type":"answer","id":"r1","action":"accept"', RefusalCode.MALFORMED, None),
    ],
)
def test_C17_only_the_documented_form_answers(line: str, code: str, line_id: str | None) -> None:
    bad = refused(line)
    assert (bad.code, bad.id) == (code, line_id)
    assert ANSWER in bad.message
    assert bad.message == str(bad)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type":"steer","text":5}', 'text: Expected str, got int; the form is {"type":"steer",'),
        ('{"type":"steer"}', "Object missing required field text; the form is "),
        (
            '{"type":"answer","id":"a","action":"accept","done":"no"}',
            "done: Expected bool, got str",
        ),
        ('{"type":"answer","id":"a","action":"accept","content":[]}', "content: Expected object"),
        ('{"type":"answer","id":"a","action":"accept","scope":"always"}', "scope: Invalid enum"),
        ('{"type":"tool_result","id":"a","content":[{"type":"x"}]}', "content[0].type: Invalid"),
        ('{"type":"tool_progress","id":"a","text":null}', "text: Expected str, got null"),
        ('{"type":"rewind"}', "Object missing required field to; the form is "),
        ('{"type":"interrupt","turn":1}', "turn: Expected str, got int"),
        ('{"type":null}', "the type of a line is text: one of answer, tool_result, "),
        ('{"type":"allow\\u202e"}', "no line is of type allow<U+202E>; there are answer, "),
    ],
)
def test_C17_the_refusal_names_what_is_wrong(line: str, message: str) -> None:
    assert refused(line).message.startswith(message)


@pytest.mark.parametrize("broken", ["NaN", "1e999", r'"\ud800"', '{"a":1,"a":1}', DEEP, '"\\x"'])
def test_A20_a_broken_value_refuses_the_line(broken: str) -> None:
    bad = refused('{"type":"answer","id":"r1","action":"accept","content":{"v":' + broken + "}}")
    assert bad.code is RefusalCode.MALFORMED
    assert "a line is one JSON object" in bad.message


def test_B28_bytes_that_are_no_text_are_refused() -> None:
    assert refused(b'{"type":"answer","id":"r1","action":"accept","x":"\xff"}').code == "malformed"


@pytest.mark.parametrize("field", ["id", "action", "type", "zzz"])
def test_B28_a_line_of_megabytes_gets_a_short_refusal(field: str) -> None:
    line = {"type": "answer", "id": "r1", "action": "ALLOW", field: "A" * 5_000_000}
    bad = refused(json.dumps(line))
    assert len(bad.message) < 1000
    assert bad.id == (None if field == "id" else "r1")


@given(st.binary() | json_values.map(json.dumps).map(str.encode))
def test_B28_any_line_is_taken_or_refused(line: bytes) -> None:
    with pytest.raises(BadLine) as caught:
        decode_command(line)
    assert caught.value.message.isprintable()


@given(texts.filter(lambda name: name not in {"delta", "part"}), st.none() | st.integers(1, 9))
def test_S7_unknown_events_are_passed_over(name: str, seq: int | None) -> None:
    line = json.dumps({"type": f"x-{name}", "seq": seq, "payload": [1]}).encode()
    assert decode_event(line) == Unknown(f"x-{name}", seq, line)


def test_S7_an_unknown_event_has_a_true_number() -> None:
    assert decode_event(b'{"type":"x","seq":true}') == Unknown(
        "x", None, b'{"type":"x","seq":true}'
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            b'{"type":"row","seq":1,"at":1}',
            "row is not as documented: Object missing required field",
        ),
        (b'{"type":"row","seq":1,"at":1,"id":5}', "row is not as documented: id: Expected str"),
        (
            b'{"type":"row","seq":1.0,"at":1,"id":"a"}',
            "row is not as documented: seq: Expected int",
        ),
        (b'{"seq":1}', "no event: it has no type"),
        (b'{"type":7}', "no event: it has no type"),
        (b'[{"type":"row"}]', "no event: not a JSON object"),
        (b"Loading npm...", "no event: JSON is malformed"),
        (b'{"type":"row","seq":1,"at":1,"id":"a","x":"\xff"}', "no event: 'utf-8' codec"),
        (b'{"type":"row","seq":1,"at":1,"id":"\\ud800"}', "no event: "),
        (DEEP.encode(), "no event: "),
        (b'{"type":"row","seq":"1","x":', "no event: "),
        (b'{"type":7,' + DEEP.encode()[1:], "no event: "),
    ],
)
def test_known_but_wrong_events_are_refused(line: bytes, message: str) -> None:
    with pytest.raises(WrongWord) as caught:
        decode_event(line)
    assert str(caught.value).startswith(message)


@given(st.binary())
def test_any_garbage_of_a_child_is_refused(line: bytes) -> None:
    with pytest.raises(WrongWord):
        decode_event(line)
