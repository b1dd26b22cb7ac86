"""What a surface may draw: only what is understood can be accepted, and nothing shown can hide."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import json_objects, json_values, texts, words

from turnwire.protocol.people import Action, HumanRequest, Mode, RequestKind, Scope
from turnwire.protocol.prompt import (
    LONGEST_LINE,
    LONGEST_MESSAGE,
    MOST_LINES,
    Acknowledge,
    Approval,
    Form,
    Question,
    present,
)

EVERY = (Action.ACCEPT, Action.DECLINE, Action.CANCEL)
HOSTILE = "curl e|sh\r\x1b[2K ls\u202e\n"


def request(kind: str, **more: Any) -> HumanRequest:
    asked: dict[str, Any] = {"id": "h1", "step": 1, "message": "May it?", "expects_response": True}
    return HumanRequest(seq=1, at=1, kind=kind, **{**asked, **more})


def strings(value: Any) -> list[str]:
    """Every text in a presentation but the exact names and values that an answer repeats."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for item in value for text in strings(item)]
    if not isinstance(value, msgspec.Struct):
        return []
    exact = {"name", "value", "default", "composer", "format"}
    fields = [name for name in value.__struct_fields__ if name not in exact]
    return [text for name in fields for text in strings(getattr(value, name))]


@pytest.mark.parametrize("kind", ["notify", "display"])
def test_H2_notify_and_display_are_acknowledged(kind: str) -> None:
    shown = present(request(kind, expects_response=False, data={"a": [1], "b": "x\ny"}))
    assert shown == Acknowledge("May it?", ("a: [1]", "b: x<LF>y"), awaited=False)
    assert present(request(kind)) == Acknowledge("May it?", (), awaited=True)


@pytest.mark.parametrize("kind", ["confirm", "elicit", "levitate"])
def test_what_awaits_nothing_is_only_acknowledged(kind: str) -> None:
    assert isinstance(present(request(kind, expects_response=False)), Acknowledge)


def test_P1_a_confirm_is_an_approval_with_its_lines() -> None:
    data = {"reach": ["filesystem:write"], "lines": ["may write a.txt", 'path: "a.txt"']}
    asked = request("confirm", data=data, scopes=(Scope.ONCE, Scope.SESSION), editable=True)
    assert present(asked) == Approval(
        "May it?", tuple(data["lines"]), EVERY, (Scope.ONCE, Scope.SESSION), editable=True
    )


def test_C10_hostile_details_are_made_visible() -> None:
    shown = present(request("confirm", message=HOSTILE, data={"lines": [HOSTILE, {"c": HOSTILE}]}))
    assert isinstance(shown, Approval)
    visible = "curl e|sh<CR><ESC>[2K ls<U+202E><LF>"
    assert (shown.message, shown.lines[0]) == (visible, visible)
    assert shown.lines[1] == r'{"c":"curl e|sh\r\u001b[2K ls<U+202E>\n"}'


def test_P11_long_details_are_cut_and_say_so() -> None:
    lines = ["x" * 5000] * (MOST_LINES + 3)
    shown = present(request("confirm", message="y" * 5000, data={"lines": lines}))
    assert isinstance(shown, Approval)
    assert shown.message == "y" * LONGEST_MESSAGE + "… [cut: 5,000 characters in all]"
    assert shown.lines[0] == "x" * LONGEST_LINE + "… [cut: 5,000 characters in all]"
    assert shown.lines[MOST_LINES:] == (f"… [cut: {MOST_LINES + 3} lines in all]",)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (None, ()),
        ("one\ntwo", ("one", "two")),
        (["one", 2, None], ("one", "2", "null")),
        ({"lines": "not a list", "n": 1}, ("lines: not a list", "n: 1")),
        (7.5, ("7.5",)),
        (float("nan"), None),
    ],
)
def test_details_of_any_shape_are_shown(data: Any, lines: tuple[str, ...] | None) -> None:
    shown = present(request("confirm", data=data))
    assert isinstance(shown, Approval)
    assert shown.lines == lines if lines is not None else "to be written as JSON" in shown.lines[0]


def test_only_offered_actions_are_drawn() -> None:
    asked = request("confirm", actions=(Action.CANCEL, Action.DECLINE))
    shown = present(asked)
    assert isinstance(shown, Approval)
    assert shown.actions == (Action.DECLINE, Action.CANCEL)


@pytest.mark.parametrize("kind", ["levitate", "", "Confirm", "confirm ", "CONFIRM"])
def test_an_unknown_kind_cannot_be_accepted(kind: str) -> None:
    shown = present(request(kind, actions=EVERY, data={"lines": ["x"]}))
    assert shown == Question("May it?", ("x",), (Action.DECLINE, Action.CANCEL))


def test_an_elicit_is_a_form() -> None:
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    shown = present(request("elicit", schema=schema, mode=Mode.MULTI_TURN))
    assert isinstance(shown, Form)
    assert [(field.name, field.required) for field in shown.fields] == [("age", True)]
    assert (shown.actions, shown.raw, shown.composer, shown.repeated) == (EVERY, None, None, True)


def test_C12_the_next_chat_message_is_a_composer() -> None:
    message = {"type": "string", "format": "chat-message"}
    shown = present(request("elicit", schema={"properties": {"message": message}}))
    assert isinstance(shown, Form)
    assert shown.composer == "message"


def test_C25_a_schema_that_is_no_form_is_shown_raw() -> None:
    shown = present(request("elicit", schema={"oneOf": [{"type": "string"}]}))
    assert isinstance(shown, Form)
    assert (shown.fields, shown.raw) == ((), '{"oneOf":[{"type":"string"}]}')


@given(
    words(HumanRequest),
    st.sampled_from([*RequestKind, "levitate"]),
    json_objects,
    st.dictionaries(texts, json_values | json_objects),
)
def test_C10_nothing_presented_hides_or_fails(
    asked: HumanRequest, kind: str, schema: dict[str, Any], properties: dict[str, Any]
) -> None:
    schema = {**schema, "type": "object", "properties": properties}
    shown = present(msgspec.structs.replace(asked, kind=kind, schema=schema))
    assert all(text.isprintable() for text in strings(shown))
    known = kind in set(RequestKind) or not asked.expects_response
    assert known or not {Action.ACCEPT} & set(getattr(shown, "actions", ()))
