"""The arguments of a call, from the text that a model wrote to one JSON object, or to words on what
is wrong.

Owns the rule that only a strict reading of the whole text counts: nothing is repaired, closed or
guessed, for a repaired half of a file would be written as if it were the whole (A28, A29). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from turnwire.protocol.jsontext import InvalidJson, compact_json, strict_json
from turnwire.runner.providers.foreign import is_object
from turnwire.runner.providers.surrogates import mend_escapes

__all__ = ["MOST_SEAMS", "NO_ARGUMENTS", "Arguments", "read_arguments", "split_objects"]

NO_ARGUMENTS = b"{}"

MOST_SEAMS = 128
"""No reply holds more calls; hostile text must not be read once for each of a million seams."""

_OBJECT = "a JSON object"
_KINDS: dict[type, str] = {
    dict: _OBJECT,
    list: "a list",
    str: "a string",
    bool: "true or false",
    type(None): "null",
}


class Arguments(msgspec.Struct, frozen=True):
    """What a call may be given: ``json`` is the compact encoding of an object. With ``invalid``
    set, ``json`` is ``{}`` and the words say what was wrong, without a final stop.
    """

    json: bytes
    invalid: str | None = None


def read_arguments(text: str) -> Arguments:
    """Read ``text``. Blank text is ``{}``: the caller knows that the provider was finished with it
    (A13).

    An object that was encoded a second time, as a string, is unwrapped once (A14).
    """
    text = mend_escapes(text)
    if not text.strip():
        return Arguments(NO_ARGUMENTS)
    try:
        value = _unwrapped(strict_json(text))
        kind = _KINDS.get(type(value), "a number")
        if kind != _OBJECT:
            return Arguments(NO_ARGUMENTS, f"the arguments are {kind} and not {_OBJECT}")
        return Arguments(compact_json(value))
    except InvalidJson as wrong:
        return Arguments(NO_ARGUMENTS, _what_is_wrong(text, wrong))


def split_objects(text: str, seams: Sequence[int]) -> list[str]:
    """Take ``text`` apart where one object is complete and a new call was announced, at one of
    ``seams``.

    Some servers send several calls on one slot (A05). Gives ``[text]`` unless each part is an
    object.
    """
    parts: list[str] = []
    start = 0
    for seam in (*seams[:MOST_SEAMS], len(text)):
        # Cheap to look at, and nearly never so in the middle of an object.
        if not text[max(start, seam - 8) : seam].rstrip().endswith("}"):
            continue
        if read_arguments(text[start:seam]).invalid is None:
            parts.append(text[start:seam])
            start = seam
    return parts if len(parts) > 1 and start == len(text) else [text]


def _unwrapped(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        inner = strict_json(value)
    except InvalidJson:
        return value
    return inner if is_object(inner) else value


def _what_is_wrong(text: str, wrong: InvalidJson) -> str:
    if _is_truncated(text):
        return "the arguments are truncated: they end before their JSON is complete"
    return f"the arguments cannot be read: {wrong}"


def _is_truncated(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except (RecursionError, UnicodeEncodeError):
        return False
    return False
