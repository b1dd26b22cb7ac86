"""The tables of the spec list exactly what the types, the rules and the files beside them hold."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect as shapes
from support.spec_pages import SPEC, fields, pages, tables, values

from turnwire.protocol.base import HostLine, SettledEvent
from turnwire.protocol.commands import Command
from turnwire.protocol.endings import ExitCode, Status, StoppedBy, exit_code
from turnwire.protocol.events import Event, RefusalCode
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.people import RequestKind
from turnwire.protocol.rows import RowKind
from turnwire.runner.core import notices
from turnwire.runner.gates.reach import INFERENCE, VOCABULARY
from turnwire.runner.providers.script import ScriptedReply

OPEN = (RequestKind, RowKind, RefusalCode, ErrorCode, ExitCode)
"""Vocabularies that no struct names, because a later version may add to them."""


def _parts(shape: shapes.Type) -> Iterator[shapes.Type]:
    yield shape
    match shape:
        case shapes.StructType():
            inner = [field.type for field in shape.fields]
        case shapes.UnionType():
            inner = list(shape.types)
        case shapes.VarTupleType():
            inner = [shape.item_type]
        case _:
            inner = []
    for part in inner:
        yield from _parts(part)


def _documented() -> dict[str, type[Any]]:
    """Every struct and closed list by the heading that its table stands under."""
    found: dict[str, type[Any]] = {word.__name__: word for word in OPEN}
    for word in (*get_args(Event), *get_args(Command), ScriptedReply):
        for part in _parts(shapes.type_info(word)):
            if isinstance(part, shapes.StructType | shapes.EnumType):
                found[_heading(part.cls)] = part.cls
    found.pop("UnsetType", None)
    return found


def _heading(word: type[Any]) -> str:
    top = word in (*get_args(Event), *get_args(Command))
    return str(word.__struct_config__.tag) if top else word.__name__


DOCUMENTED = _documented()
STRUCTS = {name: word for name, word in DOCUMENTED.items() if issubclass(word, msgspec.Struct)}
LISTS = {name: word for name, word in DOCUMENTED.items() if issubclass(word, enum.Enum)}


def _under(heading: str, first: str) -> list[Any]:
    return [t for t in tables() if t.heading == heading and t.columns[0] == first]


@pytest.mark.parametrize("name", STRUCTS)
def test_table_of_a_word_lists_its_fields_and_types(name: str) -> None:
    word = STRUCTS[name]
    module = word.__module__
    always = not issubclass(word, HostLine) and not module.startswith("turnwire.runner")
    wanted = fields(word, always=always)
    if issubclass(word, SettledEvent):
        wanted = {field: t for field, t in wanted.items() if field not in ("seq", "at", "turn")}
    wanted.pop("number", None)  # a scripted reply's own line number, which no file says
    found = _under(name, "field")
    told = (
        dict(zip(found[0].column("field"), found[0].column("type"), strict=True)) if found else {}
    )

    assert told == wanted


def test_common_fields_of_events_are_told_once() -> None:
    (table,) = _under("SettledEvent", "field")

    assert dict(zip(table.column("field"), table.column("type"), strict=True)) == fields(
        SettledEvent, always=True
    )


@pytest.mark.parametrize("name", LISTS)
def test_table_of_a_vocabulary_lists_its_members(name: str) -> None:
    (table,) = _under(name, "value")

    assert table.column("value") == values(LISTS[name])


def test_no_table_of_fields_or_values_stands_alone() -> None:
    """A table whose heading names nothing is one that no other test looks at."""
    known = {*DOCUMENTED, "SettledEvent"}

    assert {t.heading for t in tables() if t.columns[0] in ("field", "value")} <= known


def test_each_error_code_has_the_exit_code_of_its_row() -> None:
    (table,) = _under("ErrorCode", "value")

    told = dict(zip(table.column("value"), map(int, table.column("exit")), strict=True))
    assert told == {code: exit_code(Status.ERROR, error=code) for code in ErrorCode}


def test_what_stops_a_run_is_told_with_its_status() -> None:
    (table,) = _under("StoppedBy", "value")
    signals = {StoppedBy.INTERRUPT, StoppedBy.HANGUP, StoppedBy.TERMINATE}

    for value, status in zip(table.column("value"), table.column("with"), strict=True):
        assert status == ("interrupted" if value in signals else "incomplete"), value


def test_every_notice_of_the_core_is_listed() -> None:
    (table,) = _under("Codes of notices", "code")
    told = (getattr(notices, name) for name in notices.__all__)
    codes = {code for code in told if isinstance(code, str)}

    assert codes <= set(table.column("code"))


def test_P2_P3_reach_vocabulary_says_which_ids_are_asked_about() -> None:
    (table,) = [t for t in tables() if t.columns == ("id", "beyond inference")]
    told = dict(zip(table.column("id"), table.column("beyond inference"), strict=True))

    assert told.pop("any other id") == "yes"
    assert told == {name: "no" if name in INFERENCE else "yes" for name in VOCABULARY}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text("utf-8")):
        aim = page.parent / target if target else page
        assert aim.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", aim.read_text("utf-8"), re.MULTILINE)
            assert anchor in {h.strip("`").lower().replace(" ", "-") for h in headings}, anchor


def test_pages_that_the_sources_name_exist() -> None:
    root = SPEC.parent
    sources = [
        path
        for folder in ("protocol", "runner", "host_adapters", "tests")
        for path in (root / folder).rglob("*.py")
    ]
    named = {
        name
        for path in sources
        for name in re.findall(r"spec/([a-z-]+\.md)", path.read_text("utf-8"))
    }

    assert named
    assert {name for name in named if not (SPEC / name).is_file()} == set()
