"""Rooms stay small: the house's limits on modules, functions and arguments."""

from __future__ import annotations

import ast

from house.sources import Function, length, product, sources_of_tests

MODULE_LINES = 300
FUNCTION_LINES = 50
MOST_FUNCTIONS_LINES = 25
TEST_LINES = 40
ARGUMENTS = 6


def test_no_module_is_longer_than_its_limit() -> None:
    long = {source.path: len(source.lines) for source in product()}
    assert {path: lines for path, lines in long.items() if lines > MODULE_LINES} == {}


def test_no_function_is_longer_than_its_limit() -> None:
    long = {s.place(f): length(f) for s in product() for f in s.functions()}
    assert {place: lines for place, lines in long.items() if lines > FUNCTION_LINES} == {}


def test_nine_functions_in_ten_are_short() -> None:
    lengths = sorted(length(f) for source in product() for f in source.functions())
    assert lengths[len(lengths) * 9 // 10] <= MOST_FUNCTIONS_LINES


def test_no_function_takes_too_many_arguments() -> None:
    counts = {s.place(f): arguments(f) for s in product() for f in s.functions()}
    assert {place: count for place, count in counts.items() if count > ARGUMENTS} == {}


def test_no_test_is_longer_than_its_limit() -> None:
    long = {
        source.place(function): length(function)
        for source in sources_of_tests()
        for function in source.functions()
        if function.name.startswith("test_") and length(function) > TEST_LINES
    }
    assert long == {}


def arguments(function: Function) -> int:
    """Count what a caller has to know of; options of the command line are the user's flags."""
    if any(
        "option" in ast.unparse(mark) or "command" in ast.unparse(mark)
        for mark in function.decorator_list
    ):
        return 0
    signature = function.args
    named = [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]
    return len([argument for argument in named if argument.arg not in {"self", "cls"}])
