"""A Python signature as a tool's schema, and a call's arguments as the values that the function
wants.

Owns the mapping between the two, in both directions. Must not call the function.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from turnwire.protocol.jsontext import InvalidJson, compact_json
from turnwire.runner.core.ports import ToolCallError, ToolContext
from turnwire.runner.tools.executors.docstrings import read_docstring

__all__ = ["Parameter", "Signature", "read_signature"]

_ABSENT = inspect.Parameter.empty
_STARRED = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


class Parameter(msgspec.Struct, frozen=True):
    """One parameter that a model gives. ``type`` is Any where no schema could be made of the
    annotation.
    """

    name: str
    type: Any
    default: Any


class Signature(msgspec.Struct, frozen=True):
    """How a function is called. ``context`` names the parameter that receives the context;
    ``positional`` are names and defaults of what can be given by position only.
    """

    description: str
    input_schema: Mapping[str, Any]
    parameters: tuple[Parameter, ...]
    context: str | None
    positional: tuple[tuple[str, Any], ...] = ()

    def bind(
        self, arguments: Mapping[str, Any], context: ToolContext
    ) -> tuple[list[Any], dict[str, Any]]:
        """Convert checked ``arguments`` to the annotated types: positional and keyword arguments.

        ToolCallError: values do not convert; each of them is named. What is not given keeps its
        default.
        """
        wrong: list[str] = []
        values: dict[str, Any] = {} if self.context is None else {self.context: context}
        for parameter in self.parameters:
            if parameter.name in arguments:
                values[parameter.name] = _convert(parameter, arguments[parameter.name], wrong)
        if wrong:
            raise ToolCallError("The arguments do not fit:\n" + "\n".join(wrong))
        return [values.pop(name, default) for name, default in self.positional], values


def read_signature(function: Callable[..., Any]) -> Signature:
    """Read how ``function`` is called. ValueError, TypeError: Python cannot tell."""
    description, words = read_docstring(function)
    names = _names_around(function)
    parameters: list[Parameter] = []
    positional: list[tuple[str, Any]] = []
    context: str | None = None
    for entry in inspect.signature(function).parameters.values():
        if entry.kind in _STARRED:
            continue
        if entry.kind is inspect.Parameter.POSITIONAL_ONLY:
            positional.append((entry.name, entry.default))
        annotation = _annotation(entry, names)
        if _wants_context(entry.name, annotation):
            context = entry.name
        else:
            parameters.append(Parameter(entry.name, _supported(annotation), entry.default))
    schema = _schema(parameters, words)
    return Signature(description, schema, tuple(parameters), context, tuple(positional))


# --- annotations ----------------------------------------------------------------------------------


def _names_around(function: Callable[..., Any]) -> dict[str, Any]:
    """What the annotations of ``function`` may refer to. A name that was imported for type checkers
    alone is unknown at run time; that of the context is worth knowing all the same.
    """
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = vars(type(function)).get("__call__", function)
    around = getattr(inspect.unwrap(function), "__globals__", {})
    return {"ToolContext": ToolContext, **around}


def _annotation(entry: inspect.Parameter, names: dict[str, Any]) -> object:
    """The annotation, evaluated where it is text; Any where it means nothing at run time."""
    if entry.annotation is _ABSENT:
        return _ABSENT
    holder = type("_Holder", (), {"__annotations__": {"it": entry.annotation}})
    try:
        return typing.get_type_hints(holder, names, include_extras=True)["it"]
    except Exception:  # noqa: BLE001 - evaluating foreign text may raise anything
        return Any


def _wants_context(name: str, annotation: object) -> bool:
    if annotation is _ABSENT:
        return name == "context"
    return annotation is ToolContext or ToolContext in typing.get_args(annotation)


def _supported(annotation: object) -> object:
    """``annotation``, or Any where values could be neither described nor converted by it."""
    if annotation is _ABSENT:
        return Any
    try:
        msgspec.json.schema(annotation, schema_hook=_model_schema)
    except Exception:  # noqa: BLE001 - hooks of foreign models may raise anything
        return Any
    return annotation


def _model_schema(kind: type[Any]) -> dict[str, Any]:
    """The schema of a type that msgspec does not know: models after pydantic's manner bring theirs."""
    if not hasattr(kind, "model_validate"):
        raise NotImplementedError
    return cast("dict[str, Any]", kind.model_json_schema())


# --- schema ---------------------------------------------------------------------------------------


def _schema(parameters: list[Parameter], words: Mapping[str, str]) -> dict[str, Any]:
    definitions: dict[str, Any] = {}

    def model_schema(kind: type[Any]) -> dict[str, Any]:
        schema = _model_schema(kind)
        definitions.update(schema.pop("$defs", {}))
        return schema

    types = [parameter.type for parameter in parameters]
    schemas, shared = msgspec.json.schema_components(
        types, schema_hook=model_schema, ref_template="#/$defs/{name}"
    )
    properties = {
        parameter.name: _property(parameter, schema, words.get(parameter.name))
        for parameter, schema in zip(parameters, schemas, strict=True)
    }
    required = [parameter.name for parameter in parameters if parameter.default is _ABSENT]
    definitions.update(shared)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
        **({"$defs": definitions} if definitions else {}),
    }


def _property(parameter: Parameter, schema: dict[str, Any], words: str | None) -> dict[str, Any]:
    """A parameter's schema with its description: the annotation's own, else the docstring's."""
    described = {} if "description" in schema else _description(parameter, words)
    return {**described, **schema, **_default(parameter.default)}


def _description(parameter: Parameter, words: str | None) -> dict[str, str]:
    for note in (*getattr(parameter.type, "__metadata__", ()), words):
        for said in (
            note,
            getattr(note, "description", None),
            getattr(note, "documentation", None),
        ):
            if isinstance(said, str) and said:
                return {"description": said}
    return {}


def _default(default: object) -> dict[str, Any]:
    if default is None or default is _ABSENT:
        return {}
    try:
        plain = msgspec.to_builtins(default)
        compact_json(plain)
    except (TypeError, InvalidJson):
        return {}
    return {"default": plain}


# --- values ---------------------------------------------------------------------------------------


def _convert(parameter: Parameter, value: object, wrong: list[str]) -> object:
    """Convert ``value``; what does not fit is added to ``wrong``.

    JSON knows one kind of number: 1.0 is a fine integer for a schema, and for the lenient second
    try.
    """
    try:
        return msgspec.convert(value, parameter.type, dec_hook=_model_value)
    except msgspec.ValidationError as strict:
        try:
            return msgspec.convert(value, parameter.type, strict=False, dec_hook=_model_value)
        except msgspec.ValidationError:
            wrong.append(_misfit(parameter.name, str(strict)))
    return None


def _misfit(name: str, sentence: str) -> str:
    words, _, path = sentence.partition(" - at `$")
    return f"$.{name}{path.rstrip('`')}: {words}"


def _model_value(kind: type[Any], value: object) -> object:
    return kind.model_validate(value)
