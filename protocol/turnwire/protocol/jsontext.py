"""JSON as text: the one strict reading and the one compact writing of JSON that others own.

Owns what counts as JSON at every border (spec/framing.md). Typed words have a room of their own,
``codec``.
"""

from __future__ import annotations

import collections
import hashlib
import itertools
import json
import math
import re
from typing import Any, NoReturn, TypeGuard

from turnwire.protocol.framing import escape_separators
from turnwire.protocol.text import visible

__all__ = [
    "DEEPEST",
    "InvalidJson",
    "compact_json",
    "digest",
    "is_array",
    "is_object",
    "strict_json",
]

DEEPEST = 200
"""Levels of lists and objects inside one another: far above what people write, far below what
exhausts the stack of a parser or of whoever walks the value."""

_BRACKETS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class InvalidJson(ValueError):
    """Not the JSON that turnwire takes. The message says why and is safe to show."""


def strict_json(text: str | bytes) -> Any:  # noqa: ANN401 - JSON that others own
    """Read one JSON value; integers of any size up to 4,300 digits stay exact.

    InvalidJson: what RFC 8259 refuses, bytes that are not UTF-8, a key twice in one object, NaN,
    infinities and numbers out of range, half of a surrogate pair, more than :data:`DEEPEST` levels.
    """
    try:
        text = text if isinstance(text, str) else text.decode()
        _refuse_depth(text)
        value = _DECODER.decode(text)
    except InvalidJson:
        raise
    except json.JSONDecodeError as wrong:
        reason = wrong.msg.removesuffix(" at")
        raise InvalidJson(f"no JSON: {reason}, character {wrong.pos + 1}") from None
    except UnicodeDecodeError as wrong:
        raise InvalidJson(f"no UTF-8: byte {wrong.start + 1} is out of place") from None
    except ValueError:
        # Python's own bound on the digits of an integer, which keeps reading linear.
        raise InvalidJson("an integer has too many digits") from None
    if _SURROGATE.search(text):
        _refuse_halves(value)
    return value


def compact_json(value: object) -> bytes:
    """Write ``value`` as the child writes JSON: UTF-8 without blanks, keys in the order in which
    they stand, U+2028, U+2029 and U+0085 as escapes.

    InvalidJson: NaN and infinities, half of a surrogate pair, circles, depths that no stack holds,
    and what is no JSON value at all.
    """
    try:
        text = _ENCODER.encode(value).encode()
    except (ValueError, TypeError, RecursionError) as wrong:
        raise InvalidJson(f"not to be written as JSON: {visible(str(wrong), 200)}") from None
    return escape_separators(text)


def digest(data: bytes) -> str:
    """Give the SHA-256 of ``data`` in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Say whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Say whether a JSON value is a list."""
    return isinstance(value, list)


def _refuse_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    bare = text.replace("\\\\", "").replace('\\"', "")
    outside_strings = "".join(bare.split('"')[::2]).encode(errors="replace")
    steps = map(_BRACKETS.__getitem__, outside_strings.translate(None, _NO_BRACKETS))
    if max(itertools.accumulate(steps), default=0) > DEEPEST:
        raise InvalidJson(f"more than {DEEPEST} levels inside one another")


def _refuse_halves(value: object) -> None:
    try:
        _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        raise InvalidJson("half of a surrogate pair stands alone") from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    keys = collections.Counter(key for key, _ in pairs)
    twice = visible(keys.most_common(1)[0][0], 80)
    raise InvalidJson(f"the key {twice} stands twice in one object")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise InvalidJson("a number is out of range")
    return number


def _no_constant(name: str) -> NoReturn:
    raise InvalidJson(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_finite, parse_constant=_no_constant
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
