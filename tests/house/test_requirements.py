"""Requirements and tests know one another: `spec/requirements.toml` against the ids that tests wear.

A test wears an id as a word of its name (`test_A01_…`, `test_lost_P6`), in its docstring, or in the
marks on it (a parameter's id).
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from house.sources import ROOT, Function, sources_of_tests

LIST = ROOT / "spec" / "requirements.toml"
WORN = re.compile(r"(?<![A-Za-z0-9])[A-Z]\d{1,2}(?![A-Za-z0-9])")
STATES = {"holds", "planned"}


@cache
def listed() -> dict[str, dict[str, Any]]:
    """Give every requirement and case of the list, by id."""
    assert LIST.is_file(), f"{LIST.relative_to(ROOT)} is missing: it lists what tests wear"
    document = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return {**document["requirements"], **document["cases"]}


def test_every_entry_is_well_formed() -> None:
    wrong = [name for name, entry in listed().items() if not is_entry(name, entry)]
    assert not wrong, "\n".join(wrong)


def test_no_id_is_listed_twice() -> None:
    document = tomllib.loads(LIST.read_text(encoding="utf-8"))
    assert set(document["requirements"]) & set(document["cases"]) == set()


def test_what_holds_is_worn_by_a_test() -> None:
    worn = {name for name, _ in wearers()}
    holds = [name for name, entry in listed().items() if entry["state"] == "holds"]
    assert [name for name in holds if name not in worn] == []


def test_every_id_that_a_test_wears_is_listed() -> None:
    assert [f"{name} at {place}" for name, place in wearers() if name not in listed()] == []


def test_no_test_wears_what_is_only_planned() -> None:
    planned = [name for name, entry in listed().items() if entry["state"] == "planned"]
    assert [f"{name} at {place}" for name, place in wearers() if name in planned] == []


def is_entry(name: str, entry: dict[str, Any]) -> bool:
    known = WORN.fullmatch(name) and entry.get("state") in STATES
    return bool(known and isinstance(entry.get("part"), str) and isinstance(entry.get("e2e"), bool))


@cache
def wearers() -> tuple[tuple[str, str], ...]:
    """Give each id that a test wears, with the place of the test."""
    return tuple(
        (name, source.place(function))
        for source in sources_of_tests()
        for function in source.functions()
        if function.name.startswith("test_")
        for name in ids_of(function)
    )


def ids_of(function: Function) -> set[str]:
    words = [function.name.replace("_", " "), ast.get_docstring(function) or "", *marks(function)]
    return {name for text in words for name in WORN.findall(text)}


def marks(function: Function) -> Iterator[str]:
    for mark in function.decorator_list:
        for node in ast.walk(mark):
            if isinstance(node, ast.keyword) and node.arg in {"id", "ids"}:
                texts = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
                yield from (text for text in texts if isinstance(text, str))
