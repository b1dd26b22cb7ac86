"""What a reader may rely on everywhere: docstrings, imports on top, reasons beside exceptions."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator

import pytest
from house.sources import Function, Source, product, sources_of_tests

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
BROAD = {"Exception", "BaseException"}
PATCHES = re.compile(r"\b(?:monkeypatch|mocker|mock)\.(?:setattr|patch)\b|unittest\.mock")
SLEEPS = re.compile(r"^(?:time|anyio|asyncio|trio)\.sleep$")


def test_every_module_says_what_it_owns() -> None:
    assert [s.path for s in product() if not ast.get_docstring(s.tree)] == []


def test_every_public_name_has_a_docstring() -> None:
    silent = [
        source.place(node)
        for source in product()
        for node in public(source.tree)
        if not ast.get_docstring(node)
    ]
    assert not silent, "\n".join(silent)


def test_imports_inside_functions_have_their_reason() -> None:
    hidden = [
        source.place(node)
        for source in product()
        for function in source.functions()
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and not explained(source, node)
    ]
    assert not hidden, "\n".join(hidden)


def test_broad_excepts_have_their_reason() -> None:
    broad = [
        source.place(node)
        for source in product()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not source.remark(node.lineno)
    ]
    assert not broad, "\n".join(broad)


def test_nothing_is_left_unfinished() -> None:
    found = [
        f"{source.path}:{token.start[0]}"
        for source in product()
        for token in source.tokens()
        if token.type == tokenize.COMMENT and UNFINISHED.search(token.string)
    ]
    assert not found, "\n".join(found)


def test_tests_patch_nothing_of_ours() -> None:
    own = re.compile(r"\bturnwire\b|\brunner\b|\bprotocol\b|\bhosts\b")
    patched = [
        source.place(call)
        for source, call in calls()
        if PATCHES.search(ast.unparse(call.func)) and own.search(resolved(source, call))
    ]
    assert not patched, "\n".join(patched)


def test_tests_do_not_sleep_without_a_reason() -> None:
    slept = [
        source.place(call)
        for source, call in calls()
        if SLEEPS.match(ast.unparse(call.func)) and not is_zero(call)
        if not source.remark(call.lineno)
    ]
    assert not slept, "\n".join(slept)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("import mcp", False),
        ("import mcp  # noqa: PLC0415", False),
        ("import mcp  # noqa: PLC0415 - takes 700 ms", True),
        ("import mcp  # takes 700 ms", True),
    ],
)
def test_a_bare_noqa_is_no_reason(line: str, reason: bool) -> None:
    assert Source("x.py", [line], ast.Module([], [])).remark(1) is reason


def public(tree: ast.Module | ast.ClassDef) -> Iterator[Function | ast.ClassDef]:
    """Give public functions and classes, and the public methods of public classes."""
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            if any(
                ast.unparse(mark).endswith((".setter", "overload")) for mark in node.decorator_list
            ):
                continue
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def explained(source: Source, node: ast.Import | ast.ImportFrom) -> bool:
    """One comment speaks for all the imports that stand together below it."""
    first = node.lineno
    while re.match(r"\s*((from|import)\s.*)?$", source.lines[first - 2]):
        first -= 1
    return source.remark(node.lineno) or source.remark(first)


def is_broad(handler: ast.ExceptHandler) -> bool:
    """What only tidies up on the way and passes everything on hides nothing."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    caught = handler.type
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or ast.unparse(name) in BROAD for name in names)


def calls() -> Iterator[tuple[Source, ast.Call]]:
    for source in sources_of_tests():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call):
                yield source, node


def resolved(source: Source, call: ast.Call) -> str:
    """Give the words of a call, its first name replaced by the module that it came from."""
    words = " ".join(ast.unparse(argument) for argument in call.args[:1])
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                words = re.sub(
                    rf"\b{re.escape(name.asname or name.name)}\b",
                    f"{node.module} {name.name}",
                    words,
                )
    return words


def is_zero(call: ast.Call) -> bool:
    """Sleeping for no time only lets others run."""
    return [ast.unparse(argument) for argument in call.args] == ["0"]
