"""JSON Schema of both directions, made from the types and their docstrings.

Owns the form of the files in spec/schema/. Needed by people and by tests, never while a run lasts;
the one module of this package that touches files, in :func:`write` and :func:`drift`.
"""

from __future__ import annotations

import ast
import enum
import hashlib
import inspect
import os
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from turnwire.protocol.commands import Command
from turnwire.protocol.events import Event, RefusalCode
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.jsontext import is_array, is_object
from turnwire.protocol.people import RequestKind
from turnwire.protocol.rows import RowKind
from turnwire.protocol.version import PROTOCOL, SCHEMA_SHA256

__all__ = ["digest_of", "drift", "schemas", "write"]

_Schema = dict[str, Any]
_ROLE = re.compile(r":\w+:`~?([^`]+)`")

_OPEN: dict[tuple[str, str], type[enum.StrEnum]] = {
    ("HumanRequest", "kind"): RequestKind,
    ("Refused", "code"): RefusalCode,
    ("Row", "kind"): RowKind,
    ("WireError", "code"): ErrorCode,
}
"""Fields that hold a known word or any other one, which a reader takes as it comes."""

_EVENTS = (
    "Everything that the child may write, one JSON object a line. An event of a type that is not "
    "here, like a field that is not here, comes from a later version and is to be passed over."
)
_LINES = (
    "Everything that the host may write, one JSON object a line. A field that is not here is passed "
    "over; a line of a type that is not here is refused."
)


def schemas() -> dict[str, bytes]:
    """Give the files by name: a JSON Schema (2020-12) for each direction, always the same bytes."""
    return {
        "events.schema.json": _file("events", Event, _EVENTS),
        "lines.schema.json": _file("lines", Command, _LINES),
    }


def digest_of(files: dict[str, bytes]) -> str:
    """Give the SHA-256, in hexadecimal, of the files one after another, ordered by name."""
    return hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()


def write(folder: str) -> str:
    """Write the files into ``folder`` and give the digest that belongs into ``version.py``."""
    os.makedirs(folder, exist_ok=True)
    files = schemas()
    for name, text in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    return digest_of(files)


def drift(folder: str, digest: str = SCHEMA_SHA256) -> list[str]:
    """Say in sentences where ``folder``, or ``digest`` in ``version.py``, differ from the types."""
    files = schemas()
    found = [sentence for name in files if (sentence := _differs(folder, name, files[name]))]
    if digest_of(files) != digest:
        found.append(f"SCHEMA_SHA256 in version.py should be {digest_of(files)}")
    return found


def _differs(folder: str, name: str, text: bytes) -> str | None:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return None if file.read() == text else f"{name} is not what the types say"
    except FileNotFoundError:
        return f"{name} is missing"


# --- one file -------------------------------------------------------------------------------------


def _file(direction: str, words: Any, description: str) -> bytes:  # noqa: ANN401 - a union
    (union, *_), parts = msgspec.json.schema_components(
        [words, *_OPEN.values()], ref_template="#/$defs/{name}"
    )
    _open_vocabularies(parts)
    _describe(parts)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:turnwire:{PROTOCOL}:{direction}",
        "title": f"turnwire {PROTOCOL}: {direction}",
        "description": description,
        **union,
        "$defs": {name: parts[name] for name in _reached(union, parts)},
    }
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def _open_vocabularies(parts: dict[str, _Schema]) -> None:
    for (word, field), vocabulary in _OPEN.items():
        if word in parts:
            known = {"$ref": f"#/$defs/{vocabulary.__name__}"}
            parts[word]["properties"][field] = {"anyOf": [known, {"type": "string"}]}


def _describe(parts: dict[str, _Schema]) -> None:
    """Put docstrings into plain words, and say of each member of an enum what it means."""
    for part in parts.values():
        part["description"] = _plain(part["description"])
    for vocabulary in enum.StrEnum.__subclasses__():
        part = parts.get(vocabulary.__name__, {})
        if vocabulary.__module__.startswith("turnwire.protocol.") and "enum" in part:
            meanings = [f"`{member}`: {_plain(text)}" for member, text in _members(vocabulary)]
            part["enum"] = [str(member) for member in vocabulary]
            part["description"] = "\n".join([part["description"], "", *meanings])


def _plain(docstring: str) -> str:
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    return _ROLE.sub(r"`\1`", text).replace("``", "`").replace("`None`", "`null`")


def _members(vocabulary: type[enum.StrEnum]) -> Iterator[tuple[str, str]]:
    """Give each member with the docstring below it, which only the source knows."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(vocabulary))).body
    assert isinstance(definition, ast.ClassDef)
    for member, meaning in pairwise(definition.body):
        if isinstance(member, ast.Assign) and isinstance(meaning, ast.Expr):
            yield ast.literal_eval(member.value), ast.literal_eval(meaning.value)


def _reached(union: _Schema, parts: dict[str, _Schema]) -> list[str]:
    """Give the names of the parts that the union leads to, in alphabetical order."""
    reached: set[str] = set()
    waiting = set(_references(union))
    while waiting:
        reached |= waiting
        found = {name for part in waiting for name in _references(parts[part])}
        waiting = found - reached
    return sorted(reached)


def _references(schema: object) -> Iterator[str]:
    if is_object(schema):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix("#/$defs/")
        schema = [*schema.values()]
    if is_array(schema):
        for part in schema:
            yield from _references(part)
