"""What a tool reaches beyond inference, and how that is spelt on a card."""

from __future__ import annotations

import pytest

from turnwire.runner.core.ports import Entitlement
from turnwire.runner.gates.reach import INFERENCE, VOCABULARY, beyond_inference, spelt


@pytest.mark.parametrize("identity", sorted(INFERENCE))
def test_P2_thinking_reaches_nothing_beyond(identity: str) -> None:
    assert beyond_inference((Entitlement(identity),)) == ()


@pytest.mark.parametrize("identity", sorted(VOCABULARY - INFERENCE))
def test_P3_every_other_agreed_id_is_beyond(identity: str) -> None:
    assert beyond_inference((Entitlement(identity),)) == (Entitlement(identity),)


@pytest.mark.parametrize("identity", ["ai:x", "ai:", "AI", "ai:model:tools", "", "company:billing"])
def test_P3_ids_are_compared_whole_never_by_prefix(identity: str) -> None:
    assert beyond_inference((Entitlement(identity),)) != ()


def test_P3_what_is_reached_only_sometimes_counts() -> None:
    sometimes = Entitlement("network", optional=True)
    assert beyond_inference((Entitlement("ai"), sometimes)) == (sometimes,)


def test_P3_the_vocabulary_has_eight_groups() -> None:
    assert {identity.split(":")[0] for identity in VOCABULARY} == {
        "network",
        "filesystem",
        "code-execution",
        "credential",
        "ai",
        "mcp",
        "storage",
        "browser",
    }


@pytest.mark.parametrize(
    ("entitlement", "words"),
    [
        (Entitlement("network"), "network"),
        (Entitlement("network", optional=True), "may use network"),
        (Entitlement("network:http", resources=("*.org", "a.net")), "network:http (*.org, a.net)"),
        (Entitlement("credential", reason="signs in"), "credential – signs in"),
    ],
)
def test_P3_a_reach_is_spelt_in_one_line(entitlement: Entitlement, words: str) -> None:
    assert spelt(entitlement) == words
