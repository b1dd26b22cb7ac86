"""What a surface may draw of a request to a person: one pure function, the same for every surface.

Owns the rule that a request which is not understood can be declined but never accepted, and that
nothing in what is shown can hide. Draws nothing and answers nothing (spec/people.md).
"""

from __future__ import annotations

import msgspec

from turnwire.protocol.form import Choice, Field, FieldKind, fields_of, raw
from turnwire.protocol.jsontext import is_array, is_object
from turnwire.protocol.people import (
    CHAT_MESSAGE_FORMAT,
    Action,
    HumanRequest,
    Mode,
    RequestKind,
    Scope,
)
from turnwire.protocol.text import visible

__all__ = [
    "Acknowledge",
    "Approval",
    "Choice",
    "Field",
    "FieldKind",
    "Form",
    "Presentation",
    "Question",
    "present",
    "visible",
]

LONGEST_MESSAGE = 2000
LONGEST_LINE = 1000
MOST_LINES = 200
"""Bounds, in characters and lines, of what is put before a person; a cut is marked as one."""


class Acknowledge(msgspec.Struct, frozen=True):
    """Something to take note of. Nothing is answered, unless ``awaited``: then accept says "seen"."""

    message: str
    lines: tuple[str, ...]
    awaited: bool


class Approval(msgspec.Struct, frozen=True):
    """May this call run? ``lines`` say what it would do. Nothing but an accept is a yes."""

    message: str
    lines: tuple[str, ...]
    actions: tuple[Action, ...]
    scopes: tuple[Scope, ...]
    editable: bool


class Form(msgspec.Struct, frozen=True):
    """Fields to fill in. ``raw`` is the schema as text where it is not one that a form can draw: the
    person enters the whole JSON object, if anything. ``composer`` names the field that is the next
    chat message. ``repeated``: the answer may say that more is to come.
    """

    message: str
    fields: tuple[Field, ...]
    actions: tuple[Action, ...]
    raw: str | None = None
    composer: str | None = None
    repeated: bool = False


class Question(msgspec.Struct, frozen=True):
    """A request of a kind that this protocol version does not know: to decline or to cancel."""

    message: str
    lines: tuple[str, ...]
    actions: tuple[Action, ...] = (Action.DECLINE, Action.CANCEL)


Presentation = Acknowledge | Approval | Form | Question
"""Everything that a surface has to be able to draw."""


def present(request: HumanRequest) -> Presentation:
    """Say what a surface may draw of ``request``. All text in it is safe to show; it never fails."""
    message = visible(request.message, LONGEST_MESSAGE)
    told = request.kind in {RequestKind.NOTIFY, RequestKind.DISPLAY}
    if told or not request.expects_response:
        return Acknowledge(message, _lines(request.data), request.expects_response)
    if request.kind == RequestKind.CONFIRM:
        lines, actions = _lines(request.data), _actions(request)
        return Approval(message, lines, actions, request.scopes, request.editable)
    if request.kind == RequestKind.ELICIT:
        return _form(request, message)
    return Question(message, _lines(request.data))


def _form(request: HumanRequest, message: str) -> Form:
    fields = fields_of(request.schema)
    return Form(
        message,
        fields or (),
        _actions(request),
        raw=raw(request.schema) if fields is None else None,
        composer=next((field.name for field in fields or () if _is_composer(field)), None),
        repeated=request.mode is Mode.MULTI_TURN,
    )


def _is_composer(field: Field) -> bool:
    return field.kind is FieldKind.TEXT and field.format == CHAT_MESSAGE_FORMAT


def _actions(request: HumanRequest) -> tuple[Action, ...]:
    """Offer what the request offers, in the order of the enum; one that names nothing offers all."""
    return tuple(action for action in Action if action in (request.actions or tuple(Action)))


def _lines(data: object) -> tuple[str, ...]:
    """Give the details one line each: those that the child wrote, else what there is."""
    if data is None:
        return ()
    details: list[object] = [data]
    if is_object(data):
        details = [f"{key}: {_plain(value)}" for key, value in data.items()]
        details = data["lines"] if is_array(data.get("lines")) else details
    elif is_array(data):
        details = data
    elif isinstance(data, str):
        details = [*data.split("\n")]
    shown = [visible(_plain(detail), LONGEST_LINE) for detail in details[:MOST_LINES]]
    if len(details) > MOST_LINES:
        shown.append(f"… [cut: {len(details):,} lines in all]")
    return tuple(shown)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else raw(value)
