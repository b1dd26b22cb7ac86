"""read, write and edit on ordinary and on odd files."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.ground import Ground

from turnwire.runner.tools.builtin.encodings import LARGEST_WHOLE
from turnwire.runner.tools.builtin.paths import Folders, PathRefused
from turnwire.runner.tools.builtin.replacing import replace_file

LINES = "".join(f"line {number}\n" for number in range(1, 3_001))


NOBODY = 65_534


@contextmanager
def as_nobody(folder: str) -> Generator[None]:
    """Act as a user who may not write everything: root hands ``folder`` over and steps down."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


# --- read -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"one\ntwo\n", "1\tone\n2\ttwo"),
        (b"one\r\ntwo", "1\tone\n2\ttwo"),
        (b"\n\n", "1\t\n2\t"),
        (b"", "(the file is empty)"),
        (b"\xef\xbb\xbfone", "1\tone\n[UTF-8 with byte order mark]"),
        ("één\n".encode("utf-16"), "1\téén\n[UTF-16-LE]"),
        (b"caf\xe9\n", "1\tcafé\n[not UTF-8, taken as Latin-1]"),
        ("a\u2028b\x0cc\x85d\n".encode(), "1\ta\u2028b\x0cc\x85d"),
        (b"x" * 5_000 + b"\ny", f"1\t{'x' * 2_000}… [cut: 5,001 characters]\n2\ty"),
    ],
)
async def test_B26_any_text_file_is_shown(ground: Ground, content: bytes, text: str) -> None:
    (ground.cwd / "a").write_bytes(content)
    assert await ground.text("read", path="a") == text


async def test_B1_a_window_says_how_to_go_on(ground: Ground) -> None:
    (ground.cwd / "a").write_text(LINES)
    text = await ground.text("read", path="a", offset=10, limit=2)
    assert text == "10\tline 10\n11\tline 11\n[lines 10 to 11 of 3,000; go on with offset 12]"
    text = await ground.text("read", path="a", offset=3_000)
    assert text == "3000\tline 3000\n[lines 3,000 to 3,000 of 3,000]"
    text = await ground.error("read", path="a", offset=3_001)
    assert text == "a has no line 3,001: it has 3,000 lines."


async def test_B1_a_window_is_never_cut_in_its_middle(ground: Ground) -> None:
    (ground.cwd / "a").write_text(LINES)
    outcome = await ground.run("read", path="a")
    result = ground.bounded(outcome)
    shown = str(outcome.content).splitlines()
    assert not result.truncated
    assert shown[-1] == f"[lines 1 to {len(shown) - 1:,} of 3,000; go on with offset {len(shown)}]"
    (ground.cwd / "b").write_text("\n" * 5_000)
    assert (await ground.text("read", path="b")).count("\n") == 2_000


async def test_B25_a_huge_file_is_read_in_pieces(ground: Ground) -> None:
    with (ground.cwd / "a").open("wb") as file:
        file.write(b"x" * (LARGEST_WHOLE + 5) + b"\n" + b"caf\xc3\xa9 \xff\n" * 10)
    text = await ground.text("read", path="a", offset=2, limit=1)
    assert text == "2\tcafé \ufffd\n[lines 2 to 2; go on with offset 3]"
    assert await ground.error("read", path="a", offset=99) == "a has no line 99."
    assert "too large to edit" in await ground.error(
        "edit", path="a", old_string="caf", new_string="x"
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nothing", "nothing does not exist."),
        ("folder", "folder is a folder, not a file."),
        ("file/below", "file/below does not exist: a part of the path is no folder."),
        ("binary", "binary is binary (4 bytes), so it is not shown."),
        ("fifo", "fifo is no regular file."),
    ],
)
async def test_T6_what_cannot_be_read_is_said(ground: Ground, path: str, words: str) -> None:
    (ground.cwd / "folder").mkdir()
    (ground.cwd / "file").write_text("")
    (ground.cwd / "binary").write_bytes(b"\0\1\2\3")
    os.mkfifo(ground.cwd / "fifo")
    assert await ground.error("read", path=path) == words


# --- write ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", "a\r\nb\r\n", "caf\u00e9 \U0001f378\n", "\ufeffmark"])
async def test_C07_what_is_written_is_exactly_the_content(ground: Ground, content: str) -> None:
    await ground.text("write", path="a", content=content)
    assert (ground.cwd / "a").read_bytes() == content.encode()


async def test_C07_a_new_file_has_the_mode_of_any_new_file(ground: Ground) -> None:
    await ground.text("write", path="a", content="x")
    (ground.cwd / "b").touch()
    assert mode(ground.cwd / "a") == mode(ground.cwd / "b")


async def test_C07_mode_and_owner_of_a_file_are_kept(ground: Ground) -> None:
    path = ground.cwd / "a"
    path.write_text("old")
    path.chmod(0o751)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
    owner = path.stat().st_uid
    assert (await ground.text("write", path="a", content="x")).startswith("Replaced a")
    await ground.text("edit", path="a", old_string="x", new_string="y")
    assert (mode(path), path.stat().st_uid, path.read_text()) == (0o751, owner, "y")


async def test_C07_a_file_without_the_right_to_write_is_kept() -> None:
    with TemporaryDirectory() as folder, as_nobody(folder):
        ground = Ground(Path(folder))
        path = ground.cwd / "a"
        path.write_text("old")
        path.chmod(0o444)
        assert "permission denied" in await ground.error("write", path="a", content="x")
        assert path.read_text() == "old"


@pytest.mark.parametrize("path", ["folder", "folder/", "new/", "file/a", "fifo"])
async def test_T6_what_cannot_be_written_leaves_nothing(ground: Ground, path: str) -> None:
    (ground.cwd / "folder").mkdir()
    (ground.cwd / "file").write_text("")
    os.mkfifo(ground.cwd / "fifo")
    await ground.error("write", path=path, content="x")
    assert sorted(os.listdir(ground.cwd)) == ["fifo", "file", "folder"]


async def test_B07_half_a_pair_cannot_be_written(ground: Ground) -> None:
    assert "surrogate" in await ground.error("write", path="a", content="\ud83d")
    assert os.listdir(ground.cwd) == []


def test_C08_a_failed_write_leaves_no_temporary_file(ground: Ground) -> None:
    (ground.cwd / "a").write_text("old")
    place = Folders(str(ground.cwd)).locate("a")
    with pytest.raises(TypeError):
        replace_file(place, "text, not bytes")  # type: ignore[arg-type]
    assert os.listdir(ground.cwd) == ["a"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- edit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (b"a b c", ("b", "B"), b"a B c"),
        (b"a\r\nb\r\nc\r\n", ("a\nb", "A\nX\nB"), b"A\r\nX\r\nB\r\nc\r\n"),
        (b"a\r\nb\r\n", ("b", "B\nC"), b"a\r\nB\r\nC\r\n"),
        (b"a\nb\n", ("a\r\nb", "A\r\nB"), b"A\nB\n"),
        (b"a\r\nb\nc\n", ("b\nc", "B\nC"), b"a\r\nB\nC\n"),
        (b"\xef\xbb\xbfa\n", ("a", "\u00e9"), b"\xef\xbb\xbf\xc3\xa9\n"),
        (b"caf\xe9 \x96\n", ("caf\u00e9", "th\u00e8"), b"th\xe8 \x96\n"),
        ("é\r\n".encode("utf-16"), ("é", "è"), "è\r\n".encode("utf-16")),
        (b"a.b*c", (".b*", "\\1"), b"a\\1c"),
        (b"\r\n", ("\n", ""), b""),
        (b"tail\n", ("tail\n", ""), b""),
    ],
)
async def test_C07_an_edit_changes_nothing_else(
    ground: Ground, before: bytes, change: tuple[str, str], after: bytes
) -> None:
    old, new = change
    (ground.cwd / "a").write_bytes(before)
    text = await ground.text("edit", path="a", old_string=old, new_string=new)
    assert text.startswith("Replaced 1 passage in a, line ")
    assert (ground.cwd / "a").read_bytes() == after


async def test_T6_several_passages_need_a_word(ground: Ground) -> None:
    (ground.cwd / "a").write_text("x\ny\nx\n")
    text = await ground.error("edit", path="a", old_string="x", new_string="z")
    assert "occurs 2 times in a, lines 1, 3" in text
    text = await ground.text("edit", path="a", old_string="x", new_string="z", replace_all=True)
    assert text == "Replaced 2 passages in a, lines 1, 3."
    assert (ground.cwd / "a").read_text() == "z\ny\nz\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("zzz", "", "old_string does not occur in a."),
        ("one  two", "", "A passage at line 1 differs only in white space."),
        ("two three", "", "A passage at line 1 differs only in white space."),
        ("one", "one", "there is nothing to change"),
        ("one", "\u2192", "a character that a cannot hold"),
        ("   ", "", "does not occur"),
    ],
)
async def test_T6_an_edit_that_does_not_fit_says_why(
    ground: Ground, old: str, new: str, words: str
) -> None:
    (ground.cwd / "a").write_bytes(b"one two\n\tthree \xe9\n")
    assert words in await ground.error("edit", path="a", old_string=old, new_string=new)
    assert (ground.cwd / "a").read_bytes() == b"one two\n\tthree \xe9\n"


async def test_T6_only_text_files_are_edited(ground: Ground) -> None:
    (ground.cwd / "a").write_bytes(b"x\0y")
    assert await ground.error("edit", path="a", old_string="x", new_string="y") == "a is binary."
    assert await ground.error("edit", path="b", old_string="x", new_string="y") == (
        "b does not exist."
    )


def test_C08_a_file_that_changed_since_it_was_read_is_kept(ground: Ground) -> None:
    path = ground.cwd / "a"
    path.write_text("old")
    seen = path.stat()
    path.write_text("someone else's")
    with pytest.raises(PathRefused, match="changed by something else"):
        replace_file(Folders(str(ground.cwd)).locate("a"), b"ours", seen=seen)
    assert path.read_text() == "someone else's"
