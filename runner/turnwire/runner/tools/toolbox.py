"""The tools of one run, by name.

Owns which builtin tools there are and what a name on the command line means. Must not run a tool.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence

from turnwire.runner.core.ports import Tool, ToolSchema
from turnwire.runner.tools.settings import ToolSettings

__all__ = ["BUILTIN", "ToolSettings", "Toolbox", "UnknownTool", "build_toolbox"]

_BUILTIN_MODULES = {
    "read": "reading",
    "write": "writing",
    "edit": "editing",
    "glob": "globbing",
    "grep": "grepping",
    "bash": "shell",
}
BUILTIN = tuple(_BUILTIN_MODULES)
"""The names of the tools that turnwire brings along."""


class UnknownTool(Exception):
    """A name that is no tool, a function that does not load, or one name twice. One sentence that
    says what is available.
    """


class Toolbox:
    """The tools that a run has, in the order in which they were named."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """UnknownTool: two tools have one name."""
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            name = tool.schema.name
            if name in self._tools:
                first = self._tools[name].source
                raise UnknownTool(f"Two tools are called {name!r}: {first} and {tool.source}.")
            self._tools[name] = tool

    def names(self) -> tuple[str, ...]:
        """The names, as a model may call them."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of exactly this name, if there is one."""
        return self._tools.get(name)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """What a model is told of the tools."""
        return tuple(tool.schema for tool in self._tools.values())


def build_toolbox(specs: Sequence[str], settings: ToolSettings) -> Toolbox:
    """Make the tools that ``specs`` name: builtin names, or ``py:module:function``.

    UnknownTool: a name that is none of these, a function that does not load, the same name twice.
    """
    return Toolbox([_build(spec, settings) for spec in specs])


def _build(spec: str, settings: ToolSettings) -> Tool:
    if spec.startswith("py:"):
        return _function(spec, settings)
    if spec not in _BUILTIN_MODULES:
        raise UnknownTool(
            f"There is no tool {spec!r}; there are {', '.join(BUILTIN)}, and py:MODULE:FUNCTION "
            "for a function in Python."
        )
    # By name, so that a run loads the modules of its own tools only.
    module = importlib.import_module(f"turnwire.runner.tools.builtin.{_BUILTIN_MODULES[spec]}")
    tool: Tool = module.build(settings)
    return tool


def _function(spec: str, settings: ToolSettings) -> Tool:
    # Reading signatures loads what only functions need.
    from turnwire.runner.tools.executors.function import function_tool  # noqa: PLC0415
    from turnwire.runner.tools.executors.loading import NotLoadable, load_function  # noqa: PLC0415

    try:
        return function_tool(load_function(spec.removeprefix("py:"), settings.cwd), source=spec)
    except (NotLoadable, ValueError, TypeError) as error:
        raise UnknownTool(f"The tool {spec!r} cannot be used: {error}.") from error
