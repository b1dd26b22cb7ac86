"""What the first statement of a child does to its descriptors, seen from outside over real processes."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest
from support.owning import WAIT_SECONDS, command, run_owning, started_owning

from turnwire.runner.channel.descriptors import write_whole

PRINTS = """
import ctypes, os, subprocess, sys
print("printed")
sys.stdout.write("no newline")
os.write(1, b"written\\n")
os.system("echo by a shell")
subprocess.run(["echo", "by a program"])
ctypes.CDLL(None).puts(b"by C"); ctypes.CDLL(None).fflush(None)
sys.__stdout__.write("by the old name\\n")
print("lone \\ud83d half")
tell("event")
"""


def test_B10_stdout_holds_nothing_but_events() -> None:
    ran = run_owning(PRINTS)
    assert ran.stdout == "event\n"


@pytest.mark.parametrize(
    "words",
    ["printed", "no newline", "written", "by a shell", "by a program", "by C", "by the old name"],
)
def test_B10_everything_printed_lands_on_stderr(words: str) -> None:
    assert words in run_owning(PRINTS).stderr


def test_B07_a_lone_surrogate_can_be_printed() -> None:
    assert "lone \\ud83d half" in run_owning(PRINTS).stderr


def test_B10_a_terminal_encoding_does_not_matter() -> None:
    ran = run_owning(
        'print("ä 🌍")', env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    )
    assert "ä 🌍" in ran.stderr


def test_B10_half_a_line_is_printed_before_the_exit() -> None:
    body = 'import os, sys\nsys.stdout.write("half a line")\nowned.drain_stderr(5)\nos._exit(0)'
    assert run_owning(body).stderr == "half a line"


def test_the_traceback_of_an_exit_reaches_stderr() -> None:
    ran = run_owning('raise ValueError("said at the very end")')
    assert "said at the very end" in ran.stderr


# --- stderr that is not read ------------------------------------------------------------------------------


def test_B23_an_unread_stderr_never_blocks_events() -> None:
    body = 'import sys\nfor _ in range(3000): print("x" * 99, file=sys.stderr)\ntell("done")'
    with started_owning(body) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"done\n"
        child.wait(WAIT_SECONDS)


def test_B23_what_an_unread_stderr_loses_is_counted() -> None:
    body = """
import os
for _ in range(40): os.write(2, b"x" * 100_000)
owned.drain_stderr(0.1)
tell(owned.stderr_dropped())
os._exit(0)
"""
    with started_owning(body) as child:
        assert child.stdout is not None
        assert 2_500_000 < int(child.stdout.read()) < 4_000_000


def test_B23_a_slow_reader_of_stderr_gets_all_of_a_burst() -> None:
    body = 'import os\nfor _ in range(8): os.write(2, b"x" * 100_000)\nowned.drain_stderr(10)\nos._exit(0)'
    with started_owning(body) as child:
        assert child.stderr is not None
        taken = 0
        while piece := os.read(child.stderr.fileno(), 1000):
            taken += len(piece)
    assert taken == 800_000


def test_B23_code_that_keeps_the_interpreter_may_print() -> None:
    body = """
import ctypes
ctypes.PyDLL(None).write(1, b"x" * 300_000, 300_000)
tell("done")
"""
    with started_owning(body) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"done\n"


def test_B16_printing_to_a_gone_stderr_does_nothing() -> None:
    body = """
import sys
sys.stdin = open(owned.take_stdin())
sys.stdin.read()
for _ in range(100): print("x" * 9999, flush=True)
owned.drain_stderr(5)
tell("alive", owned.stderr_dropped())
"""
    with started_owning(body, stdin=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdin is not None
        child.stderr.close()
        child.stdin.close()
        assert child.stdout.read() == b"alive 1000000\n"


# --- closed descriptors -----------------------------------------------------------------------------------


def test_closed_descriptors_are_filled_with_the_null_device() -> None:
    body = 'import os\nfor fd in range(3): os.fstat(fd)\nopen("{}", "w").write(str(owned.events))'
    read, write = os.pipe()
    closing = 'exec "$0" -c "$1" <&- >&- 2>&-'
    os.set_inheritable(write, True)
    program = command(body.format(f"/dev/fd/{write}"))
    subprocess.run(
        ["sh", "-c", closing, program[0], program[2]],
        close_fds=False,
        timeout=WAIT_SECONDS,
        check=True,
    )
    os.close(write)
    assert os.read(read, 100) == b"None"
    os.close(read)


def test_a_stdout_that_cannot_be_written_counts_as_closed() -> None:
    body = "import sys\nprint(owned.events, file=sys.stderr)"
    with open(os.devnull) as unwritable:
        ran = subprocess.run(
            command(body),
            stdout=unwritable,
            stderr=subprocess.PIPE,
            timeout=WAIT_SECONDS,
            check=True,
        )
    assert ran.stderr == b"None\n"


# --- what is left behind ----------------------------------------------------------------------------------

BY_A_SHELL = 'import os\nos.system("sleep 30 & echo $! > pid")'
BY_FORKING = """
import os, time
if (pid := os.fork()) == 0:
    os.setsid()
    time.sleep(30)
    os._exit(0)
open("pid", "w").write(str(pid))
"""


@pytest.mark.parametrize("leave", [BY_A_SHELL, BY_FORKING], ids=["shell", "fork"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_B19_a_daemon_holds_no_pipe_of_the_host(leave: str, stream: str, tmp_path: object) -> None:
    body = leave + '\ntell("end")\nowned.drain_stderr(5)\nos._exit(0)'
    started = time.monotonic()
    with started_owning(body, cwd=tmp_path) as child:
        getattr(child, stream).read()
        took = time.monotonic() - started
        with open(f"{tmp_path}/pid") as file:
            os.kill(int(file.read()), signal.SIGKILL)
    assert took < 5


def test_B19_a_daemon_that_prints_does_not_hold_the_exit() -> None:
    body = """
import os, subprocess
daemon = subprocess.Popen(["yes"])
owned.drain_stderr(0.2)
tell("end")
daemon.kill()
os._exit(0)
"""
    with started_owning(body) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"end\n"


def test_children_inherit_no_private_descriptor() -> None:
    ran = run_owning('import os\nos.system("ls /proc/self/fd /dev/fd 2>&1")')
    listed = {int(name) for name in ran.stderr.split() if name.isdigit()}
    assert not {fd for fd in listed if 64 <= fd < 128}


def test_B17_the_host_never_finds_its_pipe_changed() -> None:
    read, write = os.pipe()
    before = fcntl.fcntl(write, fcntl.F_GETFL)
    subprocess.run(
        command('print("x")\ntell("y")'),
        stdout=write,
        stderr=write,
        timeout=WAIT_SECONDS,
        check=True,
    )
    assert fcntl.fcntl(write, fcntl.F_GETFL) == before
    os.close(read)
    os.close(write)


def test_a_forked_process_can_forget_what_is_private() -> None:
    body = """
import os
kept = [owned.events, owned.take_stdin()]
owned.forget()
owned.forget()
open_still = [fd for fd in kept if os.path.exists(f"/dev/fd/{fd}")]
os.write(int(os.environ["REPORT"]), str(open_still).encode())
"""
    read, write = os.pipe()
    run_owning(body, pass_fds=[write], env={**os.environ, "REPORT": str(write)}, input="")
    os.close(write)
    assert os.read(read, 100) == b"[]"
    os.close(read)


def test_a_program_that_closes_its_streams_does_no_harm() -> None:
    body = """
import os, sys, time
os.write(1, b"last words")
for stream in (sys.stdout, sys.stderr): stream.close()
os.close(1); os.close(2)
begun = time.process_time()
time.sleep(0.2)
owned.drain_stderr(5)
tell("busy" if time.process_time() - begun > 0.1 else "quiet")
"""
    ran = run_owning(body)
    assert (ran.stdout, ran.stderr) == ("quiet\n", "last words")


# --- writing before there is a loop -----------------------------------------------------------------------


def test_a_long_line_is_written_whole_to_a_slow_reader() -> None:
    with started_owning('tell("x" * 1_000_000)') as child:
        assert child.stdout is not None
        assert child.stdout.read() == b"x" * 1_000_000 + b"\n"


@pytest.mark.parametrize("flags", [0, os.O_NONBLOCK])
def test_a_reader_that_takes_nothing_ends_the_writing(pipe: tuple[int, int], flags: int) -> None:
    fcntl.fcntl(pipe[1], fcntl.F_SETFL, flags)
    with pytest.raises(TimeoutError, match=r"took no byte for 0\.05 seconds"):
        write_whole(pipe[1], b"x" * 1_000_000, 0.05)


def test_B16_writing_to_a_gone_reader_says_so(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    with pytest.raises(BrokenPipeError):
        write_whole(pipe[1], b"x", 5)


# --- stdin and answers ------------------------------------------------------------------------------------


def test_fd_0_is_the_null_device_and_stdin_is_kept_aside() -> None:
    body = "import os\ntell(os.read(0, 9), os.read(owned.take_stdin(), 9))"
    assert run_owning(body, input="hello").stdout == "b'' b'hello'\n"


def test_who_writes_to_a_released_stdin_learns_so() -> None:
    with started_owning(
        'owned.release_stdin()\ntell("released")\nimport time\ntime.sleep(30)',
        stdin=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        child.stdout.readline()
        with pytest.raises(BrokenPipeError):
            os.write(child.stdin.fileno(), b"x")
        child.terminate()


def test_a_closed_stdin_cannot_be_taken() -> None:
    body = "try: owned.take_stdin()\nexcept DescriptorError as refused: tell(refused)"
    program = command(body)
    ran = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" <&-', program[0], program[2]],
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=True,
    )
    assert ran.stdout == b"stdin is closed or cannot be read\n"


def test_answers_are_moved_away_and_close_on_exec() -> None:
    read, write = os.pipe()
    os.write(write, b"line")
    body = f"""
import fcntl, os
fd = owned.take_answers({read})
moved = os.read(fd, 9), fd >= 64, fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
try: os.fstat({read})
except OSError: tell(*moved, "gone")
"""
    assert run_owning(body, pass_fds=[read]).stdout == "b'line' True 1 gone\n"
    os.close(read)
    os.close(write)


@pytest.mark.parametrize(
    ("fd", "reason"),
    [
        ("0", "3 is the lowest"),
        ("-1", "3 is the lowest"),
        ("63", "is not open"),
        ("10 ** 30", "is not open"),
        ("owned.events", "is not open"),
        ("owned.take_stdin()", "is not open"),
        ("os.open('/dev/null', os.O_WRONLY)", "cannot be read"),
        ("os.open('/', os.O_RDONLY)", "cannot be read"),
    ],
)
def test_descriptors_that_give_no_answers_are_refused(fd: str, reason: str) -> None:
    body = f"import os\ntry: owned.take_answers({fd})\nexcept DescriptorError as refused: tell(refused)"
    assert reason in run_owning(body).stdout


# --- cost -------------------------------------------------------------------------------------------------


def test_the_first_statement_imports_nothing_slow() -> None:
    body = "import sys\ntell(*sorted(sys.modules))"
    ran = subprocess.run(
        [
            sys.executable,
            "-S",
            "-E",
            "-c",
            f"import sys; sys.path[:] = {sys.path!r}\n" + command(body)[2],
        ],
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=True,
    )
    slow = {
        "threading",
        "typing",
        "json",
        "re",
        "socket",
        "enum",
        "asyncio",
        "msgspec",
        "subprocess",
    }
    assert not slow & set(ran.stdout.split())
