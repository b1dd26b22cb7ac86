"""What a Python function returned, as text for a model.

Owns the rules: text as it is, everything else as JSON in which nothing is lost in silence. What
JSON has no word for is said in words. Must not fail, whatever it is given.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
import math
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, cast

import msgspec

__all__ = ["DEEPEST", "serialise"]

DEEPEST = 100
"""Levels of a returned value that are written out; what lies deeper is named by its type."""

_LONGEST_INTEGER_BITS = 10_000
"""Python refuses to write integers of more than 4,300 digits in decimal; longer ones are
hexadecimal.
"""


def serialise(value: object) -> str:
    """Give ``value`` as text. A string stays as it is, None is the empty text, anything else
    becomes JSON.

    NaN and infinities become the words ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``; bytes their
    text or, if they are no UTF-8, base64; sets sorted lists; dataclasses and models their fields;
    an object inside itself ``"<circle>"``; what JSON has no form for its ``repr``.
    """
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return str(value)
    if value is None:
        return ""
    return json.dumps(_plain(value, ()), ensure_ascii=False, allow_nan=False)


def _plain(value: object, above: tuple[int, ...]) -> object:
    """``value`` as dicts, lists, text, numbers and booleans; ``above`` are the ids of what it lies
    in.
    """
    scalar = _scalar(value)
    if scalar is not _NO_SCALAR:
        return scalar
    if id(value) in above:
        return "<circle>"
    if len(above) >= DEEPEST:
        return f"<{type(value).__name__}, too deep>"
    inside = (*above, id(value))
    try:
        return _opened(value, inside)
    except Exception:  # noqa: BLE001 - properties of a foreign object may raise anything
        return _described(value)


_NO_SCALAR = object()


def _scalar(value: object) -> object:
    match value:
        case enum.Enum():
            return _scalar(value.value)
        case None | bool() | str():
            return value
        case int():
            return int(value) if value.bit_length() <= _LONGEST_INTEGER_BITS else hex(value)
        case float():
            return float(value) if math.isfinite(value) else _in_words(value)
        case bytes() | bytearray() | memoryview():
            return _text_of_bytes(bytes(cast("bytes", value)))
        case _:
            return _NO_SCALAR


def _in_words(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _text_of_bytes(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"base64:{base64.b64encode(data).decode()}"


def _opened(value: object, inside: tuple[int, ...]) -> object:
    """What ``value`` is made of, or its description where it is not made of anything."""
    named = hasattr(value, "_asdict")
    match value:
        case Mapping():
            return _members(cast("Mapping[object, object]", value), inside)
        case AbstractSet():
            items = cast("Iterable[object]", value)
            return sorted((_plain(item, inside) for item in items), key=repr)
        case list() | tuple() if not named:
            return [_plain(item, inside) for item in cast("Iterable[object]", value)]
        case BaseException():
            return f"{type(value).__name__}: {value}"
        case _:
            parts = next((parts for way in _WAYS if (parts := way(value)) is not None), None)
            return _described(value) if parts is None else _plain(parts, inside)


def _members(value: Mapping[Any, Any], inside: tuple[int, ...]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, item in value.items():
        plain = _plain(key, ())
        name = plain if isinstance(plain, str) else json.dumps(plain)
        # 1 and "1" are two keys in Python and one in JSON.
        members[name if name not in members else f"{name} ({type(key).__name__})"] = _plain(
            item, inside
        )
    return members


def _fields(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    attributes: Iterable[Any] | None = getattr(type(value), "__attrs_attrs__", None)
    if attributes is None:
        return None
    return {attribute.name: getattr(value, attribute.name) for attribute in attributes}


def _method(name: str) -> Callable[[object], object]:
    def call(value: object) -> object:
        method = getattr(value, name, None)
        return method() if callable(method) and not isinstance(value, type) else None

    return call


_WAYS: tuple[Callable[[object], object], ...] = (
    _fields,
    _method("model_dump"),  # pydantic
    _method("_asdict"),  # named tuples
    _method("tolist"),  # numpy
    _method("isoformat"),  # dates and times
    _method("__fspath__"),  # paths
)


def _described(value: object) -> str:
    try:
        return (
            str(value)
            if type(value).__module__ in {"decimal", "uuid", "fractions"}
            else repr(value)
        )
    except Exception:  # noqa: BLE001 - a foreign __repr__ may raise anything
        return f"<{type(value).__name__}>"
