"""The pages of the spec as data: their JSON examples, their tables, and the types behind them.

What a page says in a fence or a table is read here; whether it is so is the tests' business.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect as shapes

__all__ = ["SPEC", "Example", "Table", "examples", "fields", "pages", "tables", "values"]

SPEC = Path(__file__).resolve().parents[2] / "spec"

_FENCE = re.compile(r"^```json\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$")
_CELL = re.compile(r"(?<!\\)\|")


class Example(NamedTuple):
    """One JSON value of a fence, and the page that it stands on."""

    page: str
    text: str


class Table(NamedTuple):
    """A table, the heading above it without its marks, and its rows without the head."""

    page: str
    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        """The cells of one column, without the marks of code."""
        at = self.columns.index(name)
        return [row[at].strip("`") for row in self.rows]


def pages() -> list[Path]:
    """Every page, the vectors' included."""
    return sorted([*SPEC.glob("*.md"), *SPEC.glob("vectors/*.md")])


def examples() -> Iterator[Example]:
    """Each line of each fence that is marked as JSON of the wire."""
    for page in pages():
        for fence in _FENCE.findall(page.read_text("utf-8")):
            yield from (Example(page.name, line) for line in fence.splitlines() if line.strip())


def tables() -> Iterator[Table]:
    """All tables of all pages."""
    for page in pages():
        heading = ""
        waiting: list[tuple[str, ...]] = []
        for line in [*page.read_text("utf-8").splitlines(), ""]:
            if line.startswith("|"):
                waiting.append(tuple(cell.strip() for cell in _CELL.split(line)[1:-1]))
                continue
            if waiting:
                yield Table(page.name, heading, waiting[0], tuple(waiting[2:]))
                waiting = []
            if found := _HEADING.match(line):
                heading = found[1].strip("`")


def fields(word: type[msgspec.Struct], *, always: bool) -> dict[str, str]:
    """The fields of a struct by their wire names, each with its type in the words of the pages.

    ``always`` says that whoever writes the word writes also what has a default.
    """
    found = shapes.type_info(word)
    assert isinstance(found, shapes.StructType)
    return {field.encode_name: _field_words(field, always=always) for field in found.fields}


def _field_words(field: shapes.Field, *, always: bool) -> str:
    defaults = {field.default, field.default_factory} - {msgspec.NODEFAULT}
    left_out = not field.required and (not always or not defaults)
    return _type_words(field.type) + (", optional" if left_out else "")


def _type_words(shape: shapes.Type) -> str:
    """A type as the pages spell it."""
    match shape:
        case shapes.UnionType():
            return _union_words(shape)
        case shapes.VarTupleType() | shapes.ListType():
            return f"list of {_type_words(shape.item_type)}"
        case shapes.TupleType():
            return f"[{', '.join(map(_type_words, shape.item_types))}]"
        case shapes.StructType() | shapes.EnumType():
            return shape.cls.__name__
        case _:
            return _PLAIN[type(shape)]


def _union_words(union: shapes.UnionType) -> str:
    parts = [part for part in union.types if not isinstance(part, shapes.NoneType)]
    return " or ".join([*map(_type_words, parts), *(["null"] if parts != [*union.types] else [])])


_PLAIN: dict[type[Any], str] = {
    shapes.StrType: "text",
    shapes.IntType: "integer",
    shapes.FloatType: "number",
    shapes.BoolType: "boolean",
    shapes.DictType: "object",
    shapes.AnyType: "JSON",
    shapes.RawType: "JSON",
}


def values(vocabulary: type[enum.Enum]) -> list[str]:
    """The members of an enum as they stand on the wire."""
    return [str(member.value) for member in vocabulary]
