"""Tools by the names that a person wrote (R12)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from support.ground import Ground

from turnwire.runner.tools.arguments import ArgumentChecker
from turnwire.runner.tools.executors.function import function_tool
from turnwire.runner.tools.toolbox import BUILTIN, Toolbox, UnknownTool


@pytest.fixture
def module(ground: Ground, request: pytest.FixtureRequest) -> Iterator[str]:
    """A module in the run's folder, of a name that no other test uses."""
    name = f"module_of_{request.node.name.split('[')[0]}"
    (ground.cwd / f"{name}.py").write_text(
        "import os\n"
        "print('loaded')\n"
        "def shout(text: str) -> str:\n    'Say it louder.'\n    return text.upper()\n"
        "class Inner:\n    @staticmethod\n    def deep() -> str: return 'deep'\n"
        "number = 1\n"
    )
    yield name
    sys.path.remove(str(ground.cwd))


def test_R12_tools_are_those_that_were_named(ground: Ground) -> None:
    toolbox = ground.toolbox("grep", "read")
    assert toolbox.names() == ("grep", "read")
    assert [schema.name for schema in toolbox.schemas()] == ["grep", "read"]
    assert toolbox.get("write") is None
    assert toolbox.get("Read") is None
    assert Toolbox([]).names() == ()


async def test_R12_a_function_is_a_tool_by_its_path(ground: Ground, module: str) -> None:
    toolbox = ground.toolbox(f"py:{module}:shout", f"py:{module}:Inner.deep")
    assert toolbox.names() == ("shout", "deep")
    tool = toolbox.get("shout")
    assert tool is not None
    assert (tool.schema.description, tool.source) == ("Say it louder.", f"py:{module}:shout")
    assert (tool.reach, tool.requires_approval) == ((), None)
    assert await ground.text(tool, text="hey") == "HEY"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("raed", "There is no tool 'raed'; there are read, write, edit, glob, grep, bash, and py:"),
        ("", "There is no tool ''"),
        ("py:", "does not have the form module:function"),
        ("py:nowhere:f", "could not be imported: ModuleNotFoundError"),
        ("py:json:nothing", "has no 'nothing'; it has detect_encoding, dump"),
        ("py:os:sep", "is no function but str"),
        ("py:exits:f", "could not be imported: SystemExit: 3"),
        ("py:broken:f", "could not be imported: SyntaxError"),
    ],
)
def test_R12_an_unknown_name_says_what_there_is(ground: Ground, spec: str, words: str) -> None:
    (ground.cwd / "exits.py").write_text("raise SystemExit(3)")
    (ground.cwd / "broken.py").write_text("def f(:")
    with pytest.raises(UnknownTool) as refused:
        ground.toolbox(spec)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    sys.path[:] = [folder for folder in sys.path if folder != str(ground.cwd)]


@pytest.mark.parametrize("specs", [("read", "read"), ("py:os:read", "read")])
def test_R12_one_name_twice_is_refused(ground: Ground, specs: tuple[str, str]) -> None:
    with pytest.raises(UnknownTool, match="Two tools are called 'read'"):
        Toolbox([function_tool(lambda: 1, name="read"), function_tool(lambda: 2, name="read")])
    with pytest.raises(UnknownTool):
        ground.toolbox(*specs)


def test_R12_the_run_s_folder_never_shadows_what_is_installed(ground: Ground) -> None:
    (ground.cwd / "string.py").write_text("capwords = 1")
    sys.modules.pop("string")
    toolbox = ground.toolbox("py:string:capwords")
    assert toolbox.names() == ("capwords",)
    sys.path.remove(str(ground.cwd))


@pytest.mark.parametrize("name", BUILTIN)
def test_T5_builtin_schemas_compile_and_say_what_they_want(ground: Ground, name: str) -> None:
    warnings: list[tuple[str, str]] = []
    tool = ground.toolbox(name).get(name)
    assert tool is not None
    checker = ArgumentChecker(lambda code, message: warnings.append((code, message)))
    assert any("is a required property" in line for line in checker.check(tool, {}))
    assert checker.check(tool, {"nonsense": 1}) != []
    assert warnings == []
    assert 50 < len(tool.schema.description) < 600
    assert (tool.source, tool.requires_approval) == ("builtin", None)


def test_P1_builtin_tools_declare_their_reach(ground: Ground) -> None:
    toolbox = ground.toolbox()
    reach = {
        schema.name: {it.id: it.optional for it in tool.reach}
        for schema in toolbox.schemas()
        if (tool := toolbox.get(schema.name))
    }
    reads, writes = {"filesystem:read": False}, {"filesystem:write": False}
    assert reach == {
        "read": reads,
        "glob": reads,
        "grep": reads,
        "write": writes,
        "edit": writes | reads,
        "bash": {"code-execution:shell": False, "filesystem": True, "network": True},
    }


def test_R12_a_toolbox_loads_only_what_it_needs() -> None:
    code = (
        "import sys; from turnwire.runner.tools.toolbox import ToolSettings, build_toolbox;"
        "build_toolbox(['read'], ToolSettings('/tmp', (), {}, None));"
        "heavy = {'jsonschema_rs', 'httpx', 'turnwire.runner.tools.executors.function'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)
