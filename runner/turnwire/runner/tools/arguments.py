"""A call's arguments: read strictly, checked against the tool's schema.

Owns the one reading and the sentences about what does not fit. Must not decide what follows from
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast

from turnwire.protocol.jsontext import InvalidJson, strict_json
from turnwire.protocol.text import well_formed
from turnwire.runner.core.ports import Tool

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

__all__ = ["MOST_VIOLATIONS", "ArgumentChecker", "parse_arguments"]

MOST_VIOLATIONS = 1_000
"""Violations that are listed; so many lines fill a result of the usual size."""

_LONGEST_MESSAGE = 300


def parse_arguments(raw: bytes) -> dict[str, Any]:
    """Read the JSON object of a call. InvalidJson: it is none, in words fit for the model."""
    value = strict_json(raw)
    if not isinstance(value, dict):
        raise InvalidJson("the arguments are no JSON object")
    return cast("dict[str, Any]", value)


class ArgumentChecker:
    """Checks arguments against the schemas of tools, each compiled once, when it is first needed.

    ``warn`` is given a code and a sentence, once for each tool whose schema does not compile; calls
    of that tool pass on its name alone. A schema never makes anything be fetched: a reference to
    elsewhere does not compile.
    """

    def __init__(self, warn: Callable[[str, str], None]) -> None:
        self._warn = warn
        self._validators: dict[str, tuple[Tool, Draft202012Validator | None]] = {}

    def check(self, tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
        """List every violation as ``$.path: what is wrong``; an empty list means that the arguments
        fit.
        """
        validator = self._validator(tool)
        if validator is None:
            return []
        try:
            return _listed(validator.iter_errors(dict(arguments)))
        except ValueError as error:
            # The validator's own bound on nesting.
            return [f"$: cannot be checked: {_bounded(str(error))}"]

    def _validator(self, tool: Tool) -> Draft202012Validator | None:
        known = self._validators.get(tool.schema.name)
        if known is None or known[0] is not tool:
            known = self._validators[tool.schema.name] = (tool, self._compile(tool))
        return known[1]

    def _compile(self, tool: Tool) -> Draft202012Validator | None:
        # 16 ms and 10 MB of memory that a run without calls does not need.
        import jsonschema_rs  # noqa: PLC0415

        try:
            return jsonschema_rs.Draft202012Validator(
                dict(tool.schema.input_schema), retriever=_refuse, validate_formats=False
            )
        except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
            reason = _bounded(str(error).partition("\n\n")[0])
            self._warn(
                "schema_invalid",
                f"The schema of the tool {tool.schema.name} does not compile, so its arguments "
                f"are not checked: {reason}",
            )
            return None


def _refuse(address: str) -> NoReturn:
    raise ValueError(f"the schema refers to {address}; only references within it are followed")


def _listed(errors: Iterable[ValidationError]) -> list[str]:
    lines: list[str] = []
    for error in errors:
        if len(lines) == MOST_VIOLATIONS:
            return [*lines, f"and more; only the first {MOST_VIOLATIONS:,} are listed"]
        lines.append(f"{_path(error.instance_path)}: {_bounded(error.message)}")
    return lines


def _path(steps: Iterable[str | int]) -> str:
    shown = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return _bounded("$" + "".join(shown))


def _bounded(text: str) -> str:
    """One line that is not as long as the value that it quotes: its beginning and its end."""
    text = well_formed(" ".join(text.split()))
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]} … {text[-half:]}"
