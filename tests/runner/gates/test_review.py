"""The review of a call: known, parses, fits, approved, in this order and with words for the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from support.tools import SeenTool, review_of

from turnwire.protocol.rows import Port
from turnwire.runner.core.inputs import Cleared, Input, PutToPerson, Rejected
from turnwire.runner.core.ports import Entitlement, Tool
from turnwire.runner.gates.approval import ApprovalPolicy
from turnwire.runner.gates.review import CallReview
from turnwire.runner.tools.arguments import ArgumentChecker, parse_arguments
from turnwire.runner.tools.toolbox import Toolbox

WRITE = SeenTool(reach=(Entitlement("filesystem:write"),))
LISTS = "$.path: 7 is not a string"


def fits(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    return []


def does_not_fit(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    return [LISTS, "$: lines is missing"]


def reviewing(*tools: Tool, violations: Any = fits, limit: int = 20_000) -> CallReview:
    return CallReview(
        Toolbox(tools or [WRITE]),
        ApprovalPolicy(),
        parse=parse_arguments,
        violations=violations,
        limit=limit,
    )


def rejection(review: CallReview, **more: Any) -> Rejected:
    verdict = review.verdict(review_of(**more))
    assert isinstance(verdict, Rejected)
    return verdict


def test_P1_a_reaching_call_is_put_to_a_person() -> None:
    verdict = reviewing().verdict(review_of())
    assert isinstance(verdict, PutToPerson)
    assert verdict.call == "t1.c1"


def test_P2_a_call_that_reaches_nothing_is_cleared() -> None:
    assert reviewing(SeenTool()).verdict(review_of()) == Cleared("t1.c1")


@pytest.mark.parametrize("name", ["nope", "Write", "write ", "", "wri\u202ete"])
def test_T4_P12_C20_an_unknown_tool_is_named_and_nobody_asked(name: str) -> None:
    verdict = rejection(reviewing(), name=name)
    assert verdict.code == "unknown_tool"
    assert verdict.text.endswith("The tools are: write.")
    assert "denied" not in verdict.text
    assert verdict.text.isprintable()


def test_T4_a_run_without_tools_says_so() -> None:
    review = CallReview(
        Toolbox([]), ApprovalPolicy(), parse=parse_arguments, violations=fits, limit=99
    )
    assert rejection(review).text == "There is no tool 'write'. The tools are: none."


def test_T4_an_endless_name_is_not_repeated() -> None:
    assert len(rejection(reviewing(), name="x" * 1_000_000).text) < 500


def test_P12_arguments_that_are_no_json_ask_nobody() -> None:
    verdict = rejection(reviewing(), invalid="a comma is missing, character 7")
    assert verdict.code == "invalid_arguments"
    assert verdict.text == "write was not run: a comma is missing, character 7"


def test_T5_P12_every_violation_is_listed_and_nobody_asked() -> None:
    verdict = rejection(reviewing(violations=does_not_fit))
    assert verdict.code == "invalid_arguments"
    assert verdict.text.splitlines()[1:] == [f"- {LISTS}", "- $: lines is missing"]


def test_T5_an_unknown_tool_comes_before_its_arguments() -> None:
    review = reviewing(violations=does_not_fit)
    assert rejection(review, name="nope", invalid="no JSON").code == "unknown_tool"


def test_B2_what_the_model_is_told_is_bounded() -> None:
    many = [SeenTool(schema=type(WRITE.schema)(f"tool_{n}", "", {})) for n in range(400)]
    verdict = rejection(reviewing(*many, limit=200), name="nope")
    assert len(verdict.text) < 300
    assert "characters in all" in verdict.text


def test_T5_a_real_schema_gives_real_words() -> None:
    schema = type(WRITE.schema)(
        "write", "", {"type": "object", "properties": {"path": {"type": "string"}}}
    )
    checker = ArgumentChecker(lambda code, words: None)
    review = reviewing(SeenTool(schema=schema), violations=checker.check)
    assert "$.path" in rejection(review, arguments='{"path":7}').text
    assert review.verdict(review_of(arguments='{"path":"a"}')) == Cleared("t1.c1")


class SilentDesk:
    """A desk at which nothing is said."""

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        raise AssertionError("a review has nothing to tell")

    def notice(self, code: str, message: str) -> None:
        raise AssertionError("a review has nothing to tell")

    def stopped(self, finding: Input) -> None:
        raise AssertionError("a review does not wait")


def test_P12_a_review_is_done_at_once() -> None:
    assert reviewing(SeenTool()).review(review_of(), SilentDesk()) == Cleared("t1.c1")
