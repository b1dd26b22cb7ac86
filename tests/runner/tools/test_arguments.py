"""A call's arguments are read strictly and checked whole (T5, R11)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from turnwire.protocol.jsontext import InvalidJson
from turnwire.runner.core.ports import Entitlement, ToolContext, ToolOutcome, ToolSchema
from turnwire.runner.tools.arguments import MOST_VIOLATIONS, ArgumentChecker, parse_arguments


class Described:
    """A tool that has nothing but a schema."""

    source = "test"
    reach: tuple[Entitlement, ...] = ()
    requires_approval: bool | None = None

    def __init__(self, schema: Any) -> None:
        self.schema = ToolSchema("described", "", schema)

    def run(self, arguments: dict[str, Any], context: ToolContext) -> Awaitable[ToolOutcome]:
        raise NotImplementedError


class Warnings(list[tuple[str, str]]):
    def warn(self, code: str, message: str) -> None:
        self.append((code, message))


NESTED = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    },
    "required": ["name", "kind"],
    "additionalProperties": False,
}


def check(schema: Any, arguments: dict[str, Any]) -> list[str]:
    warnings = Warnings()
    violations = ArgumentChecker(warnings.warn).check(Described(schema), arguments)
    assert warnings == []
    return violations


def test_T5_every_violation_is_listed_with_its_path() -> None:
    arguments = {"name": 1, "items": [1, "two", -3], "more": None}
    violations = check(NESTED, arguments)
    assert len(violations) == 5
    assert {line.partition(":")[0] for line in violations} == {
        "$",
        "$.name",
        "$.items[1]",
        "$.items[2]",
    }
    assert any('"kind" is a required property' in line for line in violations)


def test_T5_fitting_arguments_have_no_violations() -> None:
    assert check(NESTED, {"name": "a", "kind": 1} | {"items": [1]}) == [
        "$: Additional properties are not allowed ('kind' was unexpected)"
    ]
    assert check({"type": "object"}, {"name": "a"}) == []


def test_T5_a_violation_does_not_quote_all_of_a_value() -> None:
    (violation,) = check(
        {"properties": {"a": {"type": "integer"}}}, {"a": "x" * 100_000 + "\n\udc96"}
    )
    assert len(violation) < 400
    assert "\n" not in violation
    violation.encode()


def test_T5_a_flood_of_violations_is_bounded() -> None:
    schema = {"properties": {"a": {"items": {"type": "integer"}}}}
    violations = check(schema, {"a": ["x"] * 3_000})
    assert len(violations) == MOST_VIOLATIONS + 1
    assert "only the first 1,000" in violations[-1]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"pattern": "("},
        {"$ref": "#/nowhere"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        True,
    ],
)
def test_R11_a_bad_schema_warns_once_and_passes(schema: Any) -> None:
    warnings = Warnings()
    checker, tool = ArgumentChecker(warnings.warn), Described(schema)
    assert [checker.check(tool, {"a": 1}) for _ in range(3)] == [[], [], []]
    ((code, message),) = warnings
    assert code == "schema_invalid"
    assert "The schema of the tool described does not compile" in message


def test_R11_a_schema_never_makes_a_file_be_opened(tmp_path: Path) -> None:
    foreign = tmp_path / "schema.json"
    foreign.write_text('{"type": "integer"}')
    warnings = Warnings()
    tool = Described({"properties": {"a": {"$ref": foreign.as_uri()}}})
    assert ArgumentChecker(warnings.warn).check(tool, {"a": "text"}) == []
    assert "only references within it are followed" in warnings[0][1]


def test_R11_a_schema_may_refer_to_itself() -> None:
    node = {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}}}
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    assert check(schema, {"child": {"child": 1}}) == ['$.child.child: 1 is not of type "object"']


def test_T5_another_tool_of_the_same_name_is_compiled_anew() -> None:
    checker = ArgumentChecker(Warnings().warn)
    assert checker.check(Described({"required": ["a"]}), {}) != []
    assert checker.check(Described({}), {}) == []


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b'"text"',
        b"",
        b'{"a":NaN}',
        b'{"v":1e999}',
        b'{"a":1,"a":2}',
        b'{"a":"\\ud83d"}',
        b"\xff",
    ],
)
def test_A16_what_is_no_strict_object_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidJson):
        parse_arguments(raw)


def test_A20_very_deep_arguments_are_refused() -> None:
    with pytest.raises(InvalidJson, match="levels"):
        parse_arguments(b'{"x":' * 5_000 + b"0" + b"}" * 5_000)
    assert parse_arguments(b'{"a":[1,2.5,"x"]}') == {"a": [1, 2.5, "x"]}


def test_T5_the_validator_is_loaded_at_the_first_check() -> None:
    code = (
        "import sys, turnwire.runner.tools.arguments as a; a.ArgumentChecker(print); "
        "assert 'jsonschema_rs' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
