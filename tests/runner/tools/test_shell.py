"""What a model is told of a command, and what a command finds around it."""

from __future__ import annotations

import os
import pty
import signal
import sys
from pathlib import Path

import anyio
import pytest
from support.ground import Ground, Lifeline

from turnwire.runner.core.ports import ToolEnd


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo hi", "hi\n"),
        ("true", "(no output)"),
        ("echo out; echo err >&2; echo out", "out\nerr\nout\n"),
        ("pwd", "{cwd}\n"),
    ],
)
async def test_A56_output_is_given_as_it_is(ground: Ground, command: str, text: str) -> None:
    assert await ground.text("bash", command=command) == text.format(cwd=ground.cwd)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("exit 3", "(no output)\n[exit code 3]"),
        ("printf no-line-end; false", "no-line-end\n[exit code 1]"),
        ("kill -9 $$", "(no output)\n[ended by SIGKILL]"),
        ("nosuchprogram 2>/dev/null", "(no output)\n[exit code 127]"),
    ],
)
async def test_T6_a_command_that_fails_says_how(ground: Ground, command: str, text: str) -> None:
    assert await ground.error("bash", command=command) == text


@pytest.mark.parametrize("command", ["a\0b", "x" * 3_000_000])
async def test_T6_what_cannot_be_started_is_said(ground: Ground, command: str) -> None:
    assert (await ground.error("bash", command=command)).startswith(
        "The command could not be started: "
    )


async def test_T6_a_vanished_folder_is_said(ground: Ground) -> None:
    ground.cwd.rmdir()
    assert "could not be started" in await ground.error("bash", command="true")


async def test_E20_a_command_sees_the_given_environment_alone(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_PROVIDER_KEY", "sk-secret")
    text = await ground.text("bash", command="env")
    assert "sk-secret" not in text
    assert f"PATH={ground.path}\n" in text
    assert f"HOME={ground.cwd}\n" in text


async def test_B22_there_is_neither_terminal_nor_input(ground: Ground) -> None:
    python = "python3 -c \"open('/dev/tty').read()\""
    assert "[Errno 6]" in await ground.error("bash", command=python)
    assert await ground.text("bash", command='read x; echo "<$x>"; cat') == "<>\n"
    assert await ground.text("bash", command="test -t 0 || test -t 1 || echo none") == "none\n"


UNDER_A_TERMINAL = """
import anyio, os, sys
from pathlib import Path
from support.ground import Ground

os.close(os.open("/dev/tty", os.O_RDWR))
ground = Ground(Path(sys.argv[1]))
words = anyio.run(lambda: ground.error("bash", command="exec </dev/tty"))
assert "/dev/tty" in words, words
words = anyio.run(lambda: ground.text("bash", command="cat", timeout_seconds=5))
assert words == "(no output)", words
"""


async def test_B22_a_terminal_of_ours_is_out_of_reach(tmp_path: Path) -> None:
    """In a process that has a controlling terminal, a command still has none."""
    pid, terminal = pty.fork()
    if pid == 0:
        arguments = [sys.executable, "-c", UNDER_A_TERMINAL, str(tmp_path)]
        path = os.pathsep.join(filter(None, sys.path))
        os.execve(sys.executable, arguments, {**os.environ, "PYTHONPATH": path})
    with anyio.fail_after(20):
        _, status = await anyio.to_thread.run_sync(os.waitpid, pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0


async def test_B22_an_editor_fails_and_nothing_is_rewritten(ground: Ground) -> None:
    identity = "-c user.name=a -c user.email=a@example.org"
    first = f"git init -q && git {identity} commit -q --allow-empty -m one"
    await ground.text("bash", command=first)
    assert "no terminal" in await ground.error(
        "bash", command=f"git {identity} commit --allow-empty"
    )
    await ground.error("bash", command=f"git {identity} rebase -i --root")
    assert await ground.text("bash", command="git log --format=%s") == "one\n"


# --- stopping -------------------------------------------------------------------------------------


async def test_B20_a_timeout_ends_the_whole_group(ground: Ground, lifeline: Lifeline) -> None:
    command = f"exec 9>{lifeline.path}; trap '' TERM; sh -c 'sleep 90' & sleep 90; echo late"
    text = await ground.error("bash", command=command, timeout_seconds=0.3)
    assert "[stopped: it took longer than 0.3 seconds]" in text
    await lifeline.cut()


async def test_B20_a_cancelled_command_ends_with_its_grandchildren(
    ground: Ground, lifeline: Lifeline
) -> None:
    stubborn = 'trap "" TERM; echo ready; while :; do sleep 90; done'
    command = f"exec 9>{lifeline.path}; trap '' TERM; sh -c '{stubborn}' & sleep 90"
    last = await ground.cancelled("bash", once=lambda: bool(ground.live), command=command)
    assert last.end is ToolEnd.CANCELLED
    assert last.is_error
    assert last.content == "ready\n[stopped before it was finished]"
    await lifeline.cut()


async def test_B20_a_shell_that_dies_at_once_does_not_save_its_child(
    ground: Ground, lifeline: Lifeline
) -> None:
    command = f"exec 9>{lifeline.path}; sh -c 'trap \"\" TERM; echo up; sleep 90; sleep 90' & wait"
    await ground.cancelled("bash", once=lambda: bool(ground.live), command=command)
    await lifeline.cut()


async def test_B20_last_words_after_term_are_kept(ground: Ground) -> None:
    command = "trap 'echo bye; exit 0' TERM; echo ready; sleep 90 & wait"
    text = await ground.error("bash", command=command, timeout_seconds=0.3)
    assert text.startswith("ready\nbye\n")


async def test_U6_the_turn_s_deadline_is_a_timeout(ground: Ground) -> None:
    tool = ground.toolbox("bash").get("bash")
    assert tool is not None
    with anyio.fail_after(10):
        outcome = await tool.run({"command": "sleep 60"}, ground.context(deadline_seconds=0.2))
    assert "took longer than 0.2 seconds" in str(outcome.content)


# --- what is left behind --------------------------------------------------------------------------

DAEMON = """
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.open({lifeline!r}, os.O_WRONLY)
open("up", "w").close()
while True:
    print("tick", flush=True); time.sleep(0.05)
"""


@pytest.fixture
def daemon(ground: Ground, lifeline: Lifeline) -> str:
    """A command that leaves a daemon which prints until nobody listens."""
    path = ground.cwd / "daemon.py"
    path.write_text(DAEMON.format(lifeline=str(lifeline.path)))
    return f"python3 {path}; until [ -e up ]; do sleep 0.01; done; echo spawned"


async def test_B19_a_detached_process_does_not_hold_the_call(
    ground: Ground, lifeline: Lifeline, daemon: str
) -> None:
    with anyio.fail_after(5):
        text = await ground.text("bash", command=daemon)
    assert "spawned\n" in text
    assert "may still be running" in text
    await lifeline.cut()


async def test_B19_a_timeout_reports_what_escaped(ground: Ground, daemon: str) -> None:
    text = await ground.error("bash", command=f"{daemon}; sleep 60", timeout_seconds=2)
    assert "took longer" in text
    assert "may still be running" in text


async def test_B19_a_cancelled_call_is_left_behind(ground: Ground, daemon: str) -> None:
    once = lambda: "spawned" in "".join(ground.live)  # noqa: E731
    last = await ground.cancelled("bash", once=once, command=f"{daemon}; sleep 60")
    assert last.end is ToolEnd.LEFT_BEHIND


@pytest.mark.parametrize("redirect", ["", ">/dev/null 2>&1"])
async def test_B19_a_background_process_is_told_of(ground: Ground, redirect: str) -> None:
    text = await ground.text("bash", command=f"sleep 60 {redirect} & echo started")
    group = int(text.partition("process group is ")[2].rstrip("]"))
    assert text.startswith("started\n[a process was left in the background")
    os.killpg(group, signal.SIGKILL)


async def test_B19_nothing_of_a_call_is_kept_open(ground: Ground) -> None:
    await ground.text("bash", command="true")
    before = set(os.listdir("/proc/self/fd") if Path("/proc").exists() else ())
    for command in ("true", "setsid sleep 1 & true", "seq 100000", "sleep 5"):
        await ground.run("bash", command=command, timeout_seconds=0.2)
    after = set(os.listdir("/proc/self/fd") if Path("/proc").exists() else ())
    assert len(after) == len(before)
