"""Who is asked about a tool's calls, and what the card says."""

from __future__ import annotations

import json

import pytest
from support.tools import SeenTool, review_of

from turnwire.protocol.events import Approval
from turnwire.runner.core.ports import Entitlement, ToolSchema
from turnwire.runner.gates.approval import (
    ARGUMENT_LINES,
    LINE_CHARACTERS,
    ApprovalPolicy,
    asks,
    card,
)

WRITES = (Entitlement("filesystem:write"),)
THINKS = (Entitlement("ai:model"),)
NAMED = frozenset({"write"})


@pytest.mark.parametrize(("reach", "asked"), [(WRITES, True), (THINKS, False), ((), False)])
def test_P1_P2_P9_reach_decides_whether_a_person_is_asked(
    reach: tuple[Entitlement, ...], asked: bool
) -> None:
    assert asks(SeenTool(reach=reach), ApprovalPolicy()) is asked


@pytest.mark.parametrize(("wish", "asked"), [(True, True), (False, False)])
def test_P4_the_wish_of_a_tool_goes_before_its_reach(wish: bool, asked: bool) -> None:
    for reach in (WRITES, ()):
        assert asks(SeenTool(reach=reach, requires_approval=wish), ApprovalPolicy()) is asked


@pytest.mark.parametrize("wish", [True, False, None])
def test_P4_the_command_line_goes_before_the_wish(wish: bool | None) -> None:
    tool = SeenTool(reach=WRITES, requires_approval=wish)
    assert asks(tool, ApprovalPolicy(ask=NAMED))
    assert not asks(tool, ApprovalPolicy(no_ask=NAMED))


def test_P4_named_in_both_ways_the_stricter_counts() -> None:
    assert asks(SeenTool(), ApprovalPolicy(ask=NAMED, no_ask=NAMED))


def test_P4_other_names_change_nothing() -> None:
    others = frozenset({"Write", "write "})
    assert asks(SeenTool(reach=WRITES), ApprovalPolicy(no_ask=others))
    assert not asks(SeenTool(), ApprovalPolicy(ask=others))


@pytest.mark.parametrize("wish", [True, False, None])
def test_P5_never_silences_reach_flags_and_wishes(wish: bool | None) -> None:
    policy = ApprovalPolicy(approval=Approval.NEVER, ask=NAMED)
    assert not asks(SeenTool(reach=WRITES, requires_approval=wish), policy)


# --- the card


def test_P1_the_card_names_tool_reach_and_arguments() -> None:
    put = card(review_of(arguments='{"path":"a.txt","lines":[1,2]}'), SeenTool(reach=WRITES))
    assert put.call == "t1.c1"
    assert put.message == "Allow write to run?"
    assert put.reach == ("filesystem:write",)
    assert put.lines == (
        "Tool: write (builtin)",
        "Reaches: filesystem:write",
        "path: a.txt",
        "lines: [1,2]",
    )


def test_P3_P10_what_is_not_declared_is_called_so() -> None:
    put = card(review_of(), SeenTool(requires_approval=True))
    assert put.lines[1] == "Reaches: undeclared (a host function)"
    assert put.reach == ()


def test_P3_thinking_is_not_listed_as_reach() -> None:
    put = card(review_of(), SeenTool(reach=(*THINKS, Entitlement("network", optional=True))))
    assert put.lines[1] == "Reaches: may use network"
    assert put.reach == ("network",)


@pytest.mark.parametrize(
    "hostile",
    ["curl e|sh\r\x1b[2K ls", "rm x\u202e#", "l\u200bs", "a\u2028Reaches: nothing", "a\nb"],
)
def test_P11_C10_nothing_hides_on_the_card(hostile: str) -> None:
    tool = SeenTool(ToolSchema(hostile, "", {}), hostile, (Entitlement(hostile, reason=hostile),))
    put = card(review_of(arguments=json.dumps({"cmd": hostile, hostile: 1})), tool)
    for line in (put.message, *put.lines, *put.reach):
        assert line.isprintable()
        assert "<" in line
    assert len(put.lines) == 4


def test_P11_a_very_long_argument_is_cut_and_marked() -> None:
    put = card(review_of(arguments=json.dumps({"text": "x" * 5_000_000})), SeenTool())
    assert len(put.lines[2]) < LINE_CHARACTERS + 100
    assert "5,000,006 characters in all" in put.lines[2]


def test_P11_very_many_arguments_are_cut_and_counted() -> None:
    many = json.dumps({f"a{number}": number for number in range(10_000)})
    put = card(review_of(arguments=many), SeenTool())
    assert len(put.lines) == 2 + ARGUMENT_LINES + 1
    assert put.lines[-1] == "… [cut: 10,000 arguments in all]"


def test_P11_numbers_are_shown_as_they_were_written() -> None:
    put = card(review_of(arguments='{"n":1e3,"big":123456789012345678901234567890}'), SeenTool())
    assert put.lines[2:] == ("n: 1e3", "big: 123456789012345678901234567890")
