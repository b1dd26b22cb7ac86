"""Words of the protocol for tests: one example of each, and any other by chance.

The strategies are read off the types, so that a new field is tried out without a line here.
"""

from __future__ import annotations

import enum
import types
import typing
from typing import Any, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from turnwire.protocol.commands import Command
from turnwire.protocol.events import Event
from turnwire.protocol.jsontext import compact_json

EVENT_TYPES: tuple[type[msgspec.Struct], ...] = get_args(Event)
COMMAND_TYPES: tuple[type[msgspec.Struct], ...] = get_args(Command)

texts = st.text(max_size=20) | st.sampled_from(
    ["", "a\u2028b\u2029c\u0085d\x0b\x0c\x1ce", '"\\', "\x00\x1b", "\U0001f378", "\u202e", "\r\n"]
)
integers = st.integers(-(2**53), 2**53)
floats = st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)

_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: integers,
    float: floats,
    bool: st.booleans(),
    Any: json_values,
    types.NoneType: st.none(),
    msgspec.UnsetType: st.just(msgspec.UNSET),
    msgspec.Raw: json_values.map(lambda value: msgspec.Raw(compact_json(value))),
}


def values(of: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that stands in a word."""
    if of in _PLAIN:
        return _PLAIN[of]
    arguments = get_args(of)
    if get_origin(of) is dict:
        return json_objects
    if get_origin(of) is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(values(arguments[0]), max_size=2).map(tuple)
        return st.tuples(*map(values, arguments))
    if arguments:
        return st.one_of(*map(values, arguments))
    return st.sampled_from(of) if issubclass(of, enum.Enum) else words(of)


def words(of: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Any word of this type."""
    hints = typing.get_type_hints(of)
    return st.builds(of, **{name: values(hints[name]) for name in of.__struct_fields__})


events = st.one_of(*map(words, EVENT_TYPES))
commands = st.one_of(*map(words, COMMAND_TYPES))
