"""A line's JSON text to a typed word and back (spec/events.md, spec/lines.md).

Unknown is passed over, known-but-wrong is refused. Owns the sentences in which a host is told what
was wrong with its line. Knows neither line ends nor parts, which are ``framing``, nor what a word
does.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from turnwire.protocol.commands import Command
from turnwire.protocol.events import Event, RefusalCode
from turnwire.protocol.jsontext import InvalidJson, is_object, strict_json
from turnwire.protocol.text import visible

__all__ = [
    "BadLine",
    "Unknown",
    "WrongWord",
    "decode_command",
    "decode_event",
    "encode_command",
    "encode_event",
]

_LONGEST_ID = 200
"""An id is minted by the child and short; a longer one is not repeated to the host."""

_FORMS = {
    "answer": '{"type":"answer","id":TEXT,"action":"accept", "decline" or "cancel"}',
    "tool_result": '{"type":"tool_result","id":TEXT,"content":TEXT or BLOCKS,"is_error":BOOLEAN}',
    "tool_progress": '{"type":"tool_progress","id":TEXT,"text":TEXT}',
    "steer": '{"type":"steer","text":TEXT}',
    "interrupt": '{"type":"interrupt"}, with "turn":TEXT for one turn only',
    "rewind": '{"type":"rewind","to":TEXT or null}',
    "shutdown": '{"type":"shutdown"}',
}


_ANSWER = _FORMS["answer"]
_TYPES = ", ".join(_FORMS)
_EVENT_TYPES = frozenset(str(word.__struct_config__.tag) for word in get_args(Event))


class _Head(msgspec.Struct):
    """As much of a line as tells whose it is, whatever else is wrong with it."""

    type: Any = None
    id: Any = None
    seq: Any = None


_ENCODER = msgspec.json.Encoder()
_EVENTS: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_COMMANDS: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_HEADS = msgspec.json.Decoder(_Head)


class Unknown(msgspec.Struct, frozen=True):
    """An event of a later protocol, which hosts pass over: its ``type``, its ``seq`` if it is
    settled, and the JSON text itself.
    """

    type: str
    seq: int | None
    text: bytes


class WrongWord(Exception):
    """What the child wrote is no event: no JSON object, no type, or a field of a wrong type."""


class BadLine(Exception):
    """A host's line that is refused: a stable code, one sentence with the expected form, and the id
    that the line named, if one could be read.
    """

    def __init__(self, code: RefusalCode, message: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id


# --- events ---------------------------------------------------------------------------------------


def encode_event(event: Event) -> bytes:
    """Give the JSON text of ``event``, ready for ``framing.encode_line``.

    Text in it must be well-formed and figures finite: borders see to that, not the writer.
    """
    return _ENCODER.encode(event)


def decode_event(data: bytes) -> Event | Unknown:
    """Read one line, or the joined text of parts, from a child.

    WrongWord: no JSON object with a ``type``, or a known type that is not as documented.
    """
    try:
        # msgspec looks for broken UTF-8 only in the text that it keeps.
        if not data.isascii():
            data.decode()
        return _EVENTS.decode(data)
    except msgspec.ValidationError as wrong:
        return _unknown_event(data, wrong)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise WrongWord(f"no event: {_sentence(wrong)}") from None


def _unknown_event(data: bytes, wrong: msgspec.ValidationError) -> Unknown:
    try:
        head = _HEADS.decode(data)
    except msgspec.ValidationError:
        raise WrongWord("no event: not a JSON object") from None
    except (msgspec.DecodeError, RecursionError) as broken:
        # The first reading stops at a wrong field; what stands behind it may be no JSON at all.
        raise WrongWord(f"no event: {_sentence(broken)}") from None
    if not isinstance(head.type, str):
        raise WrongWord("no event: it has no type")
    if head.type in _EVENT_TYPES:
        raise WrongWord(f"{head.type} is not as documented: {_sentence(wrong)}")
    return Unknown(head.type, head.seq if type(head.seq) is int else None, data)


# --- host lines -----------------------------------------------------------------------------------


def encode_command(command: Command) -> bytes:
    """Give the JSON text of ``command``, ready for ``framing.encode_line``."""
    return _ENCODER.encode(command)


def decode_command(data: bytes) -> Command:
    """Read one host line; fields that are not known are passed over.

    BadLine: anything but a documented form. A line is never guessed at.
    """
    try:
        value = strict_json(data)
    except InvalidJson as wrong:
        raise _malformed(f"{wrong}; a line is one JSON object: {_ANSWER}", _id_in(data)) from None
    try:
        return _COMMANDS.decode(data)
    except msgspec.DecodeError as wrong:
        raise _bad_line(value, wrong) from None


def _bad_line(value: object, wrong: msgspec.DecodeError) -> BadLine:
    if not is_object(value):
        return _malformed(f"a line is one JSON object, such as {_ANSWER}", None)
    line_id, line_type = _short_id(value.get("id")), value.get("type")
    if "type" not in value:
        return BadLine(RefusalCode.UNKNOWN_TYPE, f"a line has a type, such as {_ANSWER}", line_id)
    if not isinstance(line_type, str):
        return _malformed(f"the type of a line is text: one of {_TYPES}", line_id)
    if line_type not in _FORMS:
        known = f"no line is of type {visible(line_type, 80)}; there are {_TYPES}"
        return BadLine(RefusalCode.UNKNOWN_TYPE, known, line_id)
    return _malformed(f"{_sentence(wrong)}; the form is {_FORMS[line_type]}", line_id)


def _malformed(message: str, line_id: str | None) -> BadLine:
    return BadLine(RefusalCode.MALFORMED, message, line_id)


def _id_in(data: bytes) -> str | None:
    """Find the id in a line that is no strict JSON: its host learns what was not answered."""
    try:
        return _short_id(_HEADS.decode(data).id)
    except (msgspec.DecodeError, RecursionError):
        return None


def _short_id(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= _LONGEST_ID else None


def _sentence(wrong: Exception) -> str:
    """Turn msgspec's "Expected `str`, got `int` - at `$.id`" into "id: Expected str, got int"."""
    reason, _, path = str(wrong).replace("`", "").rpartition(" - at ")
    where = path.removeprefix("$").removeprefix(".")
    return visible(f"{where}: {reason}" if reason and where else reason or path, 200)
