"""Rows as a tree: said again when they change, drawn each once."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from turnwire.protocol.base import UNSET
from turnwire.protocol.rows import Progress, Row, RowStatus
from turnwire.protocol.tree import RowTree

names = st.sampled_from("abcde")


def line(identity: str, **fields: Any) -> Row:
    return Row(seq=1, at=1, id=identity, **fields)


def drawn(tree: RowTree) -> list[tuple[int, str]]:
    return [(depth, row.id) for depth, row in tree.walk()]


def test_S4_a_later_line_replaces_what_it_carries() -> None:
    tree = RowTree()
    tree.upsert(line("a", title="one", kind="tool", progress=Progress(message="half", done=1)))
    after = tree.upsert(line("a", title=None, progress=Progress(message="more")))
    assert (after.title, after.kind) == (None, "tool")
    assert after.progress == Progress(message="more", done=None)


def test_S7_a_kind_that_nobody_knows_is_kept() -> None:
    assert RowTree().upsert(line("a", kind="dream")).kind == "dream"


def test_a_row_is_drawn_below_its_parent() -> None:
    tree = RowTree()
    for row in [line("t"), line("a", parent="t"), line("b", parent="t"), line("c", parent="a")]:
        tree.upsert(row)
    assert drawn(tree) == [(0, "t"), (1, "a"), (2, "c"), (1, "b")]
    assert [row.id for row in tree.children("t")] == ["a", "b"]


def test_an_orphan_is_drawn_until_its_parent_comes() -> None:
    tree = RowTree()
    tree.upsert(line("a", parent="t"))
    assert drawn(tree) == [(0, "a")]
    tree.upsert(line("t"))
    assert drawn(tree) == [(0, "t"), (1, "a")]


def test_a_row_may_move_to_another_parent() -> None:
    tree = RowTree()
    for row in [line("s"), line("t"), line("a", parent="s"), line("a", parent="t")]:
        tree.upsert(row)
    assert drawn(tree) == [(0, "s"), (0, "t"), (1, "a")]
    tree.upsert(line("a", parent=None))
    assert drawn(tree) == [(0, "s"), (0, "t"), (0, "a")]


def test_rows_in_a_circle_are_drawn_once() -> None:
    tree = RowTree()
    for row in [line("a", parent="b"), line("b", parent="a"), line("c", parent="c")]:
        tree.upsert(row)
    assert drawn(tree) == [(0, "a"), (1, "b"), (0, "c")]


def test_only_an_end_settles_a_row() -> None:
    ends = {RowStatus.DONE, RowStatus.FAILED, RowStatus.DENIED, RowStatus.CANCELLED}
    for status in RowStatus:
        settled = RowTree().upsert(line("a", status=status)).settled
        assert settled == (status in ends | {RowStatus.UNKNOWN_EFFECT})
    assert not RowTree().upsert(line("a")).settled


@given(st.lists(st.tuples(names, st.none() | names | st.just(UNSET))))
def test_S7_any_tree_draws_each_row_once(lines: list[tuple[str, Any]]) -> None:
    tree = RowTree()
    for identity, parent in lines:
        tree.upsert(line(identity, parent=parent))
    assert sorted(name for _, name in drawn(tree)) == sorted({name for name, _ in lines})


def test_a_chain_of_thousands_is_drawn() -> None:
    tree = RowTree()
    for number in range(5000):
        tree.upsert(line(str(number), parent=str(number - 1)))
    assert drawn(tree)[-1] == (4999, "4999")
