"""File tools stay inside, whatever a path says and whenever it changes (C07, C08)."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from support.ground import Ground

from turnwire.runner.tools.builtin.paths import Folders, PathRefused, Place, folder_of, open_file
from turnwire.runner.tools.builtin.replacing import replace_file
from turnwire.runner.tools.running import run_call


def content_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def linked(ground: Ground) -> Ground:
    """A folder with links that lead out of it, and one that does not."""
    (ground.outside / "secret.txt").write_text("secret")
    (ground.cwd / "out").symlink_to("../outside")
    (ground.cwd / "dang").symlink_to("../outside/new.txt")
    (ground.cwd / "secret").symlink_to(ground.outside / "secret.txt")
    (ground.cwd / "loop").symlink_to("loop")
    (ground.cwd / "real").mkdir()
    (ground.cwd / "in").symlink_to("real")
    (ground.cwd / "later").symlink_to("real/later.txt")
    evil = ground.cwd.with_name("ws-evil")
    evil.mkdir()
    return ground


OUTSIDE = [
    "out/a",
    "out/../outside/a",
    "dang",
    "secret",
    "../outside/a",
    "../ws2/a",
    "real/../../outside/secret.txt",
    "../ws-evil/a",
    "/etc/hostname",
    "/",
    "..",
    "~",
    "~/a",
    "~root/a",
    "a\0b",
    "",
]


@pytest.mark.parametrize("path", OUTSIDE)
async def test_C07_nothing_is_written_outside(linked: Ground, path: str) -> None:
    before = content_of(linked.cwd.parent)
    await linked.error("write", path=path, content="x")
    await linked.error("edit", path=path, old_string="secret", new_string="x")
    assert content_of(linked.cwd.parent) == before


@pytest.mark.parametrize("path", OUTSIDE)
async def test_C07_nothing_is_read_outside(linked: Ground, path: str) -> None:
    for tool, arguments in (("read", {}), ("grep", {"pattern": "."}), ("glob", {"pattern": "*"})):
        text = await linked.error(tool, path=path, **arguments) if path or tool == "read" else ""
        assert "secret\n" not in text
        assert "new.txt" not in text


@pytest.mark.parametrize("path", ["loop", "loop/a", "x" * 300, "a/" * 3_000 + "b", "\ud83d"])
async def test_C07_impossible_paths_are_refused(linked: Ground, path: str) -> None:
    await linked.error("read", path=path)
    await linked.error("write", path=path, content="x")


@pytest.mark.parametrize(
    ("path", "lands"),
    [
        ("in/a.txt", "real/a.txt"),
        ("later", "real/later.txt"),
        ("real/../b.txt", "b.txt"),
        ("./c.txt", "c.txt"),
        ("new/deep/d.txt", "new/deep/d.txt"),
        ("../ws/e.txt", "e.txt"),
        ("./~", "~"),
    ],
)
async def test_C07_links_that_stay_inside_work(linked: Ground, path: str, lands: str) -> None:
    text = await linked.text("write", path=path, content="here")
    assert text == f"Created {lands}: 1 lines, 4 bytes."
    assert (linked.cwd / lands).read_text() == "here"
    assert await linked.text("read", path=path) == "1\there"


async def test_C07_the_folder_itself_may_be_a_link(ground: Ground) -> None:
    real = ground.cwd.rename(ground.cwd.with_name("real"))
    ground.cwd.symlink_to(real)
    await ground.text("write", path="a.txt", content="here")
    assert await ground.text("read", path=str(ground.cwd / "a.txt")) == "1\there"
    assert (real / "a.txt").read_text() == "here"


async def test_C07_a_hard_link_keeps_its_other_name_s_content(ground: Ground) -> None:
    other = ground.outside / "other.txt"
    other.write_text("old")
    os.link(other, ground.cwd / "a.txt")
    await ground.text("write", path="a.txt", content="new")
    assert (other.read_text(), (ground.cwd / "a.txt").read_text()) == ("old", "new")


async def test_C07_allowed_folders_are_reached(ground: Ground) -> None:
    ground.allowed = (str(ground.outside),)
    path = str(ground.outside / "a.txt")
    assert (
        await ground.text("write", path=path, content="x") == f"Created {path}: 1 lines, 1 bytes."
    )
    assert await ground.text("read", path="../outside/a.txt") == "1\tx"
    assert await ground.text("glob", pattern="*", path=str(ground.outside)) == path
    await ground.error("read", path=str(ground.outside) + "-evil/a")


async def test_B1_spilled_results_are_read_but_not_written(ground: Ground) -> None:
    ground.spills.mkdir()
    spill = ground.spills / "call-0.txt"
    spill.write_text("needle\n")
    assert await ground.text("read", path=str(spill)) == "1\tneedle"
    assert await ground.text("grep", pattern="need", path=str(spill)) == f"{spill}:1:needle"
    await ground.error("write", path=str(spill), content="x")


# --- between the check and the deed ---------------------------------------------------------------


async def test_C08_a_folder_swapped_after_approval_is_refused(ground: Ground) -> None:
    (ground.cwd / "d").mkdir()
    (ground.cwd / "d").rename(ground.cwd / "old")
    (ground.cwd / "d").symlink_to(ground.outside)
    await ground.error("write", path="d/a", content="x")
    assert content_of(ground.outside) == {}


@pytest.mark.parametrize("depth", ["d", "d/e"])
def test_C08_a_folder_swapped_after_the_check_is_refused(ground: Ground, depth: str) -> None:
    (ground.cwd / "d" / "e").mkdir(parents=True)
    (ground.outside / "e").mkdir()
    place = Folders(str(ground.cwd)).locate(f"{depth}/a")
    (ground.cwd / "d").rename(ground.cwd / "old")
    (ground.cwd / "d").symlink_to(ground.outside)
    with pytest.raises(PathRefused, match="replaced by a link"):
        replace_file(place, b"x")
    assert content_of(ground.outside) == {}


def test_C08_a_file_swapped_after_the_check_is_refused(ground: Ground) -> None:
    victim = ground.outside / "victim"
    victim.write_text("mine")
    place = Folders(str(ground.cwd)).locate("a")
    (ground.cwd / "a").symlink_to(victim)
    for attempt in (lambda: replace_file(place, b"x"), lambda: open_file(place)):
        with pytest.raises(PathRefused, match="replaced by a link"):
            attempt()
    assert victim.read_text() == "mine"


def test_C08_an_open_folder_stays_the_same_one(ground: Ground) -> None:
    (ground.cwd / "d").mkdir()
    place = Folders(str(ground.cwd)).locate("d/a")
    with folder_of(place) as (folder, name):
        (ground.cwd / "d").rename(ground.cwd / "old")
        (ground.cwd / "d").symlink_to(ground.outside)
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    assert content_of(ground.outside) == {}
    assert content_of(ground.cwd) == {"old/a": ""}


async def test_C08_writes_race_against_swaps(ground: Ground) -> None:
    """A thread puts a link in the folder's place and takes it away, while writes go on."""
    done = threading.Event()
    swaps: list[int] = []
    swapper = threading.Thread(target=_swap, args=(ground, done.is_set, swaps.append))
    (ground.cwd / "d").mkdir()
    swapper.start()
    tool = ground.toolbox("write").get("write")
    assert tool is not None
    with anyio.fail_after(30):
        for number in range(300):
            await run_call(tool, {"path": f"d/{number}", "content": "x"}, ground.context())
    done.set()
    swapper.join()
    assert content_of(ground.outside) == {}
    assert len(swaps) > 5
    assert content_of(ground.cwd) != {}


def _swap(ground: Ground, is_done: Callable[[], bool], swapped: Callable[[int], None]) -> None:
    folder = ground.cwd / "d"
    for number in itertools.count():
        if is_done():
            return
        folder.rename(ground.cwd / f"aside{number}")
        with contextlib.suppress(FileExistsError):
            folder.symlink_to(ground.outside)
            swapped(number)
        if folder.is_symlink():
            folder.unlink()
        # A write makes the folder anew where it finds none.
        folder.mkdir(exist_ok=True)


def test_C07_a_place_is_shown_relative_to_the_run_s_folder(ground: Ground) -> None:
    folders = Folders(str(ground.cwd), [str(ground.outside)])
    assert folders.locate("a/../b") == Place(str(ground.cwd / "b"), "b")
    assert folders.locate(".").shown == "."
    assert folders.locate("../outside/a").shown == str(ground.outside / "a")
    assert Folders("/").locate("/etc").shown == "etc"
