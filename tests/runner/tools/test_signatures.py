"""The schema of a function tool, from its signature and its docstring."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Optional, TypedDict

import jsonschema
import msgspec
import pytest

from turnwire.runner.core.ports import ToolCallError, ToolContext
from turnwire.runner.tools.executors.docstrings import read_docstring
from turnwire.runner.tools.executors.signatures import read_signature


class Colour(enum.Enum):
    RED = "red"


class Options(TypedDict, total=False):
    deep: bool


@dataclasses.dataclass
class Node:
    name: str
    children: list[Node] = dataclasses.field(default_factory=list)


class Document:
    """After pydantic's manner."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        inner = {"$ref": "#/$defs/Inner"}
        return {"type": "object", "properties": {"inner": inner}, "$defs": {"Inner": {"const": 1}}}

    @classmethod
    def model_validate(cls, value: object) -> object:
        if value != 1:
            raise ValueError("it must be 1")
        return cls()


class Described:
    """After the manner of an annotation with a description."""

    description = "a described number"


def properties_of(function: Callable[..., Any]) -> dict[str, Any]:
    schema = dict(read_signature(function).input_schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    return schema["properties"]


def bound(function: Callable[..., Any], **arguments: Any) -> dict[str, Any]:
    nobody: Any = None
    return read_signature(function).bind(arguments, nobody)[1]


def annotated(kind: Any) -> Any:
    def function(it: Any) -> None: ...

    function.__annotations__["it"] = kind
    return properties_of(function)["it"]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (int, {"type": "integer"}),
        (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),  # noqa: UP045 - people write it
        (Literal["a", 1], {"enum": [1, "a"]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (Colour, {"$ref": "#/$defs/Colour"}),
        (Options, {"$ref": "#/$defs/Options"}),
        (Node, {"$ref": "#/$defs/Node"}),
        (Any, {}),
        ("Node", {"$ref": "#/$defs/Node"}),
        (list["Node"], {"type": "array", "items": {"$ref": "#/$defs/Node"}}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (Annotated[int, msgspec.Meta(ge=1)], {"type": "integer", "minimum": 1}),
        (Annotated[int, Described()], {"type": "integer", "description": "a described number"}),
    ],
)
def test_R6_annotations_become_schemas(kind: Any, schema: Mapping[str, Any]) -> None:
    assert annotated(kind) == schema


@pytest.mark.parametrize("kind", [complex, "Unknown", "no annotation", Callable[[int], int], 5])
def test_R6_what_has_no_schema_may_be_anything(kind: Any) -> None:
    assert annotated(kind) == {}


def test_R6_models_bring_their_schema_and_their_checks() -> None:
    def function(it: Document) -> None: ...

    signature = read_signature(function)
    assert signature.input_schema["properties"]["it"]["properties"] == {
        "inner": {"$ref": "#/$defs/Inner"}
    }
    assert signature.input_schema["$defs"] == {"Inner": {"const": 1}}
    assert isinstance(bound(function, it=1)["it"], Document)
    with pytest.raises(ToolCallError, match=r"\$\.it: it must be 1"):
        bound(function, it=2)


def test_R6_defaults_are_told_where_json_can_tell_them() -> None:
    def function(
        a: int = 1, b: Colour = Colour.RED, c: Any = object, d: float = math.nan
    ) -> None: ...

    told = {name: schema.get("default") for name, schema in properties_of(function).items()}
    assert told == {"a": 1, "b": "red", "c": None, "d": None}
    assert read_signature(function).input_schema["required"] == []


def test_R6_the_context_is_known_by_type_or_by_bare_name() -> None:
    def typed(it: ToolContext | None = None) -> None: ...
    def written(it: Optional[ToolContext]) -> None: ...  # noqa: UP045 - people write it
    def named(context): ...  # noqa: ANN001, ANN202 - by its bare name
    def ordinary(context: str) -> None: ...

    assert [read_signature(f).context for f in (typed, written, named, ordinary)] == [
        "it",
        "it",
        "context",
        None,
    ]
    assert properties_of(ordinary) == {"context": {"type": "string"}}


def test_R6_starred_and_bound_parameters_are_no_arguments() -> None:
    def function(a: int, b: int, *rest: int, **more: int) -> None: ...

    assert list(properties_of(functools.partial(function, 1))) == ["b"]


GOOGLE = """Find a thing.

More words.

Args:
    name (str): The name
        of the thing.
    *rest: More.

Returns:
    str: not a parameter
"""
NUMPY = """Find a thing.

Parameters
----------
name : str
    The name
    of the thing.
rest
    More.

Returns
-------
str
    not a parameter
"""
REST = """Find a thing.

:param str name: The name
    of the thing.
:param rest: More.
:returns: not a parameter
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
def test_R6_docstrings_describe_parameters(text: str) -> None:
    def function(name: str, rest: int = 0) -> None: ...

    function.__doc__ = text
    assert read_docstring(function) == (
        "Find a thing.",
        {"name": "The name of the thing.", "rest": "More."},
    )
    assert properties_of(function)["name"]["description"] == "The name of the thing."


@pytest.mark.parametrize(
    "text", [None, "", "Args:", "Args:\n", ":param", "Parameters\n----------", "\n\n"]
)
def test_R6_odd_docstrings_describe_nothing(text: str | None) -> None:
    def function(name: str) -> None: ...

    function.__doc__ = text
    description, words = read_docstring(function)
    assert words == {}
    assert len(description) < 20


def test_R6_a_first_paragraph_is_one_line() -> None:
    def function() -> None:
        """Find a thing,
        whatever it is.

        Not this.
        """

    assert read_docstring(function)[0] == "Find a thing, whatever it is."
