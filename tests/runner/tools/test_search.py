"""glob and grep: the same results with ripgrep and without, whatever lies in the tree."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ground import Ground

from turnwire.runner.core.ports import ToolCallError, ToolEnd
from turnwire.runner.tools.builtin.encodings import LARGEST_WHOLE
from turnwire.runner.tools.builtin.literals import required_literal
from turnwire.runner.tools.builtin.paths import Folders, PathRefused
from turnwire.runner.tools.builtin.patterns import BadPattern, PathPattern, split_literal
from turnwire.runner.tools.builtin.searching import Request, answer


def lay(ground: Ground, **files: str | bytes) -> None:
    for name, content in files.items():
        path = ground.cwd / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def tree(ground: Ground) -> Ground:
    """Files of all kinds, a link out, and what is passed over."""
    lay(
        ground,
        a_DOT_py="import os\nneedle = 1\n",
        b_DOT_txt="needle and needle\r\nhay\r\nNEEDLE\r\n",
        src__c_DOT_py="x\ny\nneedle\nz\nw\n",
        src__deep__d_DOT_py="needle",
        _DOT_hidden__e_DOT_py="needle\n",
        _DOT_git__config="needle\n",
        _DOT_gitignore="src\n",
        latin_DOT_txt=b"caf\xe9 needle\n",
        utf16_DOT_txt="needle é\n".encode("utf-16"),
        binary=b"\0\1needle\n",
        empty=b"",
    )
    (ground.outside / "secret.txt").write_text("needle\n")
    (ground.cwd / "out").symlink_to(ground.outside)
    (ground.cwd / "link.txt").symlink_to(ground.outside / "secret.txt")
    (ground.cwd / "broken").symlink_to("nowhere")
    os.mkfifo(ground.cwd / "fifo")
    with open(os.path.join(os.fsencode(ground.cwd), b"\xff.txt"), "wb") as file:
        file.write(b"needle\n")
    return ground


NEEDLES = """\
.hidden/e.py:1:needle
a.py:2:needle = 1
b.txt:1:needle and needle
binary: binary file matches
latin.txt:1:café needle
src/c.py:3:needle
src/deep/d.py:1:needle
utf16.txt:1:needle é
\ufffd.txt:1:needle"""


PYTHON_FILES = ".hidden/e.py\na.py\nsrc/c.py\nsrc/deep/d.py"
AROUND = "src/c.py-2-y\nsrc/c.py:3:needle\nsrc/c.py-4-z"


@pytest.fixture(params=["ripgrep", "alone"])
def searching(tree: Ground, request: pytest.FixtureRequest) -> Ground:
    """The same ground, with and without ripgrep to be found."""
    program = shutil.which("rg")
    tree.path = os.defpath if request.param == "alone" or not program else os.path.dirname(program)
    if request.param == "ripgrep" and program is None:
        pytest.skip("ripgrep is not installed")
    if request.param == "alone" and shutil.which("rg", path=tree.path):
        tree.path = str(tree.outside)
    return tree


async def test_B07_grep_shows_every_kind_of_file(searching: Ground) -> None:
    """B26: binaries and old encodings are searched, and a name of odd bytes is shown."""
    assert await searching.text("grep", pattern="needle") == NEEDLES


CASES: list[tuple[dict[str, Any], str]] = [
    ({"pattern": "NEEDLE"}, "b.txt:3:NEEDLE"),
    ({"pattern": "needle", "glob": "*.py", "output": "files"}, PYTHON_FILES),
    (
        {"pattern": "needle", "glob": "src/**/*.{py,js}", "output": "count"},
        "src/c.py:1\nsrc/deep/d.py:1",
    ),
    ({"pattern": "NEEDLE", "ignore_case": True, "path": "b.txt", "output": "count"}, "b.txt:2"),
    ({"pattern": "needle", "path": "src/deep"}, "src/deep/d.py:1:needle"),
    ({"pattern": "^needle$", "glob": "c.py", "context": 1}, AROUND),
    ({"pattern": r"hay$"}, "b.txt:2:hay"),
    ({"pattern": r"caf\w n"}, "latin.txt:1:café needle"),
    ({"pattern": "é$", "path": "utf16.txt"}, "utf16.txt:1:needle é"),
    ({"pattern": "nothing like it"}, "Nothing matches."),
    ({"pattern": "needle", "glob": "nothing"}, "Nothing matches."),
    ({"pattern": "secret|needle", "path": "empty"}, "Nothing matches."),
    ({"pattern": "x?needle(?! =)", "glob": "a.py"}, "Nothing matches."),
]


@pytest.mark.parametrize(("arguments", "text"), CASES)
async def test_B26_grep_gives_the_same_with_and_without_ripgrep(
    searching: Ground, arguments: dict[str, Any], text: str
) -> None:
    assert await searching.text("grep", **arguments) == text


@pytest.mark.parametrize(("arguments", "text"), CASES)
def test_B26_the_worker_answers_alike_in_any_process(
    searching: Ground, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], text: str
) -> None:
    monkeypatch.setenv("PATH", searching.path)
    assert answer(asked(searching, **arguments)) == text


@pytest.mark.parametrize(
    "script",
    ["exit 2", "kill -9 $$", r"printf 'a.py\0'; exit 2", "exec /nothing"],
)
async def test_B26_a_ripgrep_in_trouble_changes_nothing(tree: Ground, script: str) -> None:
    tree.path = str(fake_ripgrep(tree, script))
    assert await tree.text("grep", pattern="needle") == NEEDLES


async def test_C07_a_ripgrep_that_lies_leads_nowhere(tree: Ground) -> None:
    lies = ["../outside/secret.txt", ".git/config", "link.txt", "nothing", "a.py", "src"]
    paths = "".join(f"{tree.cwd}/{lie}\\0" for lie in lies)
    tree.path = str(fake_ripgrep(tree, f"printf '{paths}'"))
    assert await tree.text("grep", pattern="needle") == "a.py:2:needle = 1"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"pattern": "("}, BadPattern),
        ({"pattern": "[[:alpha:]]"}, BadPattern),
        ({"pattern": "a", "path": "nothing"}, FileNotFoundError),
        ({"pattern": "a", "path": "fifo"}, PathRefused),
    ],
)
def test_T6_the_worker_says_what_is_wrong_in_any_process(
    tree: Ground, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        answer(asked(tree, **arguments))


def test_B25_the_worker_reads_a_huge_file_in_pieces(ground: Ground) -> None:
    lay(ground, a=b"x" * LARGEST_WHOLE + b"\nneedle\n" + b"y" * 600 + b"needle\n")
    shown = answer(asked(ground, pattern="^needle$|yneedle")).split("\n")
    assert shown[0] == "a:2:needle"
    assert shown[1].startswith("a:3:…yyy")
    assert shown[1].endswith("yneedle")
    assert answer(asked(ground, pattern="needle", room=30)).startswith("a:2:needle\n[stopped here")


def fake_ripgrep(ground: Ground, script: str) -> Path:
    path = ground.outside / "bin" / "rg"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path.parent


def asked(ground: Ground, **arguments: Any) -> Request:
    place = Folders(str(ground.cwd)).locate(arguments.pop("path", "."))
    usual: dict[str, Any] = {
        "glob": "**",
        "output": "content",
        "context": 0,
        "ignore_case": False,
        "room": 9_000,
    }
    return Request(real=place.real, shown=place.shown, **{**usual, **arguments})


async def test_B26_groups_of_context_are_kept_apart(searching: Ground) -> None:
    lay(searching, ctx__a="m1\n1\n2\nm2\n3\nm3\n4\n5\n6\nm4\n", ctx__b="0\nm5\n")
    text = await searching.text("grep", pattern=r"m\d", path="ctx", context=1)
    shown = [re.sub(r"^ctx/", "", line) for line in text.split("\n")]
    assert " ".join(shown) == (
        "a:1:m1 a-2-1 a-3-2 a:4:m2 a-5-3 a:6:m3 a-7-4 -- a-9-6 a:10:m4 -- b-1-0 b:2:m5"
    )


async def test_B25_long_lines_and_long_answers_are_bounded(searching: Ground) -> None:
    lay(searching, long="x" * 100_000 + "here" + "y" * 100_000, many="hit\n" * 10_000)
    text = await searching.text("grep", pattern="here")
    assert len(text) < 600
    assert "xxherey" in text
    text = await searching.text("grep", pattern="hit", path="many")
    assert len(text) <= 20_000
    assert text.endswith("[stopped here, there is more: narrow the pattern, the path or the glob]")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": "("}, "no regular expression of Python"),
        ({"pattern": "[[:alpha:]]"}, "are not known"),
        ({"pattern": "a", "path": "nothing"}, "nothing does not exist."),
        ({"pattern": "a", "path": "fifo"}, "fifo is no regular file."),
        ({"pattern": "a", "glob": "../*"}, "may stand only before the first wildcard"),
        ({"pattern": "a", "path": "out"}, "outside"),
        ({"pattern": "a" * 200_000}, "could not be started"),
    ],
)
async def test_T6_a_search_that_cannot_be_made_says_why(
    tree: Ground, arguments: dict[str, Any], words: str
) -> None:
    assert words in await tree.error("grep", **arguments)


async def test_U6_an_endless_pattern_is_ended(ground: Ground) -> None:
    lay(ground, a="a" * 60 + "b")
    tool = ground.toolbox("grep").get("grep")
    assert tool is not None
    with anyio.fail_after(10), pytest.raises(ToolCallError, match=r"longer than 0\.5 seconds"):
        await tool.run({"pattern": "^(a+)+$"}, ground.context(deadline_seconds=0.5))


async def test_T19_a_search_is_cancelled(ground: Ground) -> None:
    lay(ground, a="a" * 60 + "b")
    looks = iter(range(100))
    last = await ground.cancelled("grep", once=lambda: next(looks) == 20, pattern="^(a+)+$")
    assert last.end is ToolEnd.CANCELLED


async def test_E20_the_search_worker_needs_no_environment(tree: Ground) -> None:
    lay(tree, json_DOT_py="raise SystemExit", re_DOT_py="raise SystemExit")
    tree.path = ""
    assert (await tree.text("grep", pattern="needle = ")) == "a.py:2:needle = 1"


# --- glob -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*.py", "a.py"),
        ("**/*.py", ".hidden/e.py\na.py\nsrc/c.py\nsrc/deep/d.py"),
        ("src/*", "src/c.py\nsrc/deep/"),
        ("src/**", "src/c.py\nsrc/deep/\nsrc/deep/d.py"),
        ("./src/deep/d.py", "src/deep/d.py"),
        ("{a,nothing}.{py,js}", "a.py"),
        ("**/deep/**/*.py", "src/deep/d.py"),
        ("[ab].*", "a.py\nb.txt"),
        ("[!ab]inary", "Nothing matches."),
        ("out/*", None),
        ("l*", "latin.txt\nlink.txt"),
        ("*/secret*", "Nothing matches."),
        (".git/*", ".git/config"),
        ("nothing/*", None),
        ("a.py/*", None),
        ("../*", None),
        ("*/../x", None),
        ("{a,b}" * 12, None),
    ],
)
async def test_C07_glob_finds_what_lies_inside(
    tree: Ground, pattern: str, text: str | None
) -> None:
    if text is None:
        await tree.error("glob", pattern=pattern)
    else:
        assert await tree.text("glob", pattern=pattern) == text


async def test_B25_glob_stops_at_a_bound(ground: Ground) -> None:
    for number in range(1_100):
        (ground.cwd / f"{number:04}").touch()
    lines = (await ground.text("glob", pattern="*")).split("\n")
    assert lines[:2] == ["0000", "0001"]
    assert lines[1000:] == ["[stopped after 1,000 paths: narrow the pattern]"]


async def test_B25_a_very_deep_tree_does_not_exhaust_descriptors(ground: Ground) -> None:
    folder = os.open(ground.cwd, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)
    try:
        assert (await ground.text("glob", pattern="**")).startswith("d/\nd/d/\n")
        assert await ground.text("grep", pattern="x") == "Nothing matches."
    finally:
        # Deeper than what tidies up after the tests can go by itself.
        await anyio.run_process(["rm", "-rf", os.path.join(ground.cwd, "d")])


def test_C07_a_pattern_of_many_wildcards_takes_no_time() -> None:
    pattern = PathPattern("**/" * 20 + "*a" * 20 + "b")
    assert not pattern.matches("/".join(["a" * 200] * 50))


def test_C07_literal_folders_are_split_off() -> None:
    assert split_literal("src/a/*.py") == ("src/a", "*.py")
    assert split_literal("/x/*/y") == ("/x", "*/y")
    assert split_literal("/*") == ("/", "*")
    assert split_literal("a.py") == (".", "a.py")


# --- what ripgrep is asked ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("def foo", "def foo"),
        (r"\bself\.\w+_deadline\b", "_deadline"),
        ("abcd?", "abc"),
        ("abcd*efg+", "abc"),
        ("abcd{0,2}", "abc"),
        ("ab+cde", "cde"),
        ("x(abcd)?yyy", "yyy"),
        ("abc|def", None),
        ("(?i)abcd", None),
        ("[abcd]", None),
        ("[]abc]xyz", "xyz"),
        (r"a\.b\.c", "a.b.c"),
        ("ab", None),
        ("café au lait", " au lait"),
        (r"\d\d\d", None),
    ],
)
def test_B26_the_literal_of_a_pattern(pattern: str, literal: str | None) -> None:
    assert required_literal(pattern, ignore_case=False) == literal


_plain = ["abc", "d", " ", ".", "[ab]", "[^]c]", r"\.", r"\w", r"\b", "^", "$", "(", ")"]
_repeats = ["*", "+", "?", "{2}", "{0}", "{,1}", "{", "}"]


@given(
    parts=st.lists(st.sampled_from(_plain + _repeats), max_size=8),
    text=st.text("abcd.{} ", max_size=20),
)
def test_B26_the_literal_is_in_every_match(parts: list[str], text: str) -> None:
    pattern = "".join(parts)
    try:
        match = re.search(pattern, text)
    except re.error:
        return
    literal = required_literal(pattern, ignore_case=False)
    if match and literal:
        assert literal in match[0]


def test_B26_letters_that_fold_oddly_are_not_asked_for() -> None:
    assert required_literal("abcdk", ignore_case=True) == "abcd"
    assert required_literal("kissing", ignore_case=True) is None
