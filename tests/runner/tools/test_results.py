"""One function bounds every result, whatever way it came (spec/results.md)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.protocol.content import Image, Text
from turnwire.runner.core.ports import ToolOutcome
from turnwire.runner.tools.results import IMAGE_CHARS, BoundedResult, bound_result


def bounded(outcome: ToolOutcome, folder: Path | None = None, limit: int = 1_000) -> BoundedResult:
    spills = None if folder is None else str(folder)
    return bound_result(outcome, call="call-1", limit=limit, spill_folder=spills)


def text_of(result: BoundedResult) -> str:
    block = result.content[0]
    assert isinstance(block, Text)
    return block.text


def test_B1_long_text_keeps_both_its_ends(tmp_path: Path) -> None:
    whole = "begin" + "x" * 50_000 + "end"
    result = bounded(ToolOutcome(whole), tmp_path)
    text = text_of(result)
    assert (text[:5], text[-3:]) == ("begin", "end")
    assert len(text) <= 1_000
    assert "50,008 characters in all" in text
    assert (result.chars, result.truncated) == (50_008, True)
    assert result.spill is not None
    assert result.spill in text
    assert Path(result.spill).read_text() == whole


def test_B1_text_at_the_limit_stays_whole(tmp_path: Path) -> None:
    result = bounded(ToolOutcome("x" * 1_000), tmp_path / "spills")
    assert (text_of(result), result.truncated, result.spill) == ("x" * 1_000, False, None)
    assert not (tmp_path / "spills").exists()


def test_B1_spill_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    result = bounded(ToolOutcome("x" * 2_000), tmp_path / "new" / "folder")
    assert result.spill is not None
    assert stat.S_IMODE(os.stat(result.spill).st_mode) == 0o600


def test_B1_spill_never_follows_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "call-1.txt").symlink_to(victim)
    result = bounded(ToolOutcome("x" * 2_000), tmp_path)
    assert victim.read_text() == "mine"
    assert result.spill == str(tmp_path / "call-1.2.txt")


def test_B1_call_id_cannot_leave_the_spill_folder(tmp_path: Path) -> None:
    spills = tmp_path / "spills"
    outcome = ToolOutcome("x" * 2_000)
    result = bound_result(outcome, call="../../evil", limit=1_000, spill_folder=str(spills))
    assert result.spill is not None
    assert Path(result.spill).parent == spills


@pytest.mark.parametrize("folder", [None, Path("/dev/null/nowhere")])
def test_B1_result_survives_without_its_spill(folder: Path | None) -> None:
    result = bounded(ToolOutcome("x" * 2_000), folder)
    assert (result.truncated, result.spill) == (True, None)
    assert "2,000 characters in all. …]" in text_of(result)


def test_B1_an_extract_is_not_spilled_again(tmp_path: Path) -> None:
    result = bounded(ToolOutcome("begin…end", chars=9_000_000, spill="/the/whole.txt"), tmp_path)
    assert (result.chars, result.truncated, result.spill) == (9_000_000, True, "/the/whole.txt")
    assert list(tmp_path.iterdir()) == []


@given(text=st.text(max_size=300), limit=st.integers(1, 200))
def test_B2_no_result_is_longer_than_the_limit(text: str, limit: int) -> None:
    result = bounded(ToolOutcome(text), limit=limit)
    assert len(text_of(result)) <= max(limit, len("(no output)"))
    assert len(result.preview) <= 400


@pytest.mark.parametrize("content", ["", (), (Text(text=""),), (Text(text=""), Text(text=""))])
def test_A56_nothing_is_said_in_words(content: str | tuple[Text, ...]) -> None:
    result = bounded(ToolOutcome(content))
    assert result.content == (Text(text="(no output)"),)
    assert (result.chars, result.truncated) == (0, False)


def test_B07_lone_surrogates_are_replaced_once(tmp_path: Path) -> None:
    long = "\udcff" + "x" * 2_000
    assert text_of(bounded(ToolOutcome("a\udc96b"))) == "a\ufffdb"
    assert text_of(bounded(ToolOutcome((Text(text="\ud83c\udf78"),)))) == "\U0001f378"
    result = bounded(ToolOutcome(long), tmp_path)
    assert result.spill is not None
    assert Path(result.spill).read_text().startswith("\ufffdx")


def test_B3_images_are_whole_or_left_out() -> None:
    small = Image(media_type="image/png", data="AAAA")
    large = Image(media_type="image/png", data="A" * IMAGE_CHARS)
    result = bounded(ToolOutcome((small, large, Text(text="said"))))
    assert result.content[0] == small
    assert isinstance(result.content[1], Text)
    assert "3,750,000 bytes (image/png) was left out" in result.content[1].text
    assert (result.content[2], result.preview) == (Text(text="said"), "[image/png]")


def test_B3_text_beside_an_image_is_cut_alone(tmp_path: Path) -> None:
    image = Image(media_type="image/png", data="A" * 5_000)
    texts = (Text(text="one" * 300), image, Text(text="two" * 300))
    result = bounded(ToolOutcome(texts), tmp_path)
    assert result.content[1:] == (image,)
    assert text_of(result).startswith("one")
    assert text_of(result).endswith("two")
    assert result.chars == 1_801
