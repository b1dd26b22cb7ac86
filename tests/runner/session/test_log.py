"""The session's log on a real disk: private, held by one process, never half a line."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwire.runner.session.log import LogUnwritable, SessionInUse, SessionLog, fold_lines

LINE = b'{"type":"notice","seq":1}\n'
WAIT_SECONDS = 20

HOLD = """
import sys
from turnwire.runner.session.log import SessionLog
log = SessionLog.create(sys.argv[1])
log.append(b'{"seq":1}\\n')
print("held", flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "sessions" / "one")


@pytest.fixture
def log(folder: str) -> Iterator[SessionLog]:
    log = SessionLog.create(folder)
    yield log
    log.close()


# --- lines ------------------------------------------------------------------------------------------------


def test_what_is_appended_stands_in_the_file(log: SessionLog, folder: str) -> None:
    log.append(LINE)
    log.append(LINE * 2)
    log.sync()
    assert Path(folder, "events.jsonl").read_bytes() == LINE * 3
    assert log.size == len(LINE) * 3


def test_any_range_can_be_read_back(log: SessionLog) -> None:
    log.append(b"0123456789\n" * 100_000)
    assert log.read(11 * 50_000, 11 * 50_000 + 11) == b"0123456789\n"
    assert log.read(0, log.size) == b"0123456789\n" * 100_000
    assert log.read(log.size - 3, log.size + 100) == b"89\n"
    assert log.read(log.size, log.size + 1) == b""


SMALL_DISK = """
import errno, resource, signal, sys
from turnwire.runner.session.log import LogUnwritable, SessionLog
log = SessionLog.create(sys.argv[1])
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
log.append(b"x" * 8_999 + b"\\n")
try:
    log.append(b"y" * 8_999 + b"\\n")
except LogUnwritable as refused:
    assert refused.errno == errno.EFBIG
else:
    raise AssertionError("it was written")
assert log.size == 9_000
log.append(b"z" * 99 + b"\\n")
assert log.read(9_000, 10_000) == b"z" * 99 + b"\\n"
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
"""


def test_a_line_that_does_not_fit_is_taken_back(folder: str) -> None:
    # A process of its own: the limit holds for everything that a process writes.
    subprocess.run([sys.executable, "-c", SMALL_DISK, folder], check=True, timeout=WAIT_SECONDS)
    written = Path(folder, "events.jsonl").read_bytes()
    assert written == b"x" * 8_999 + b"\n" + b"z" * 99 + b"\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
def test_a_full_disk_is_said_in_its_own_words(folder: str) -> None:
    log = SessionLog(folder=folder, events=os.open("/dev/full", os.O_RDWR), lock=-1)
    with pytest.raises(LogUnwritable, match="No space left on device"):
        log.append(LINE)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
def test_nothing_follows_a_line_that_cannot_be_taken_back(folder: str) -> None:
    log = SessionLog(folder=folder, events=os.open("/dev/full", os.O_RDWR), lock=-1)
    with pytest.raises(LogUnwritable, match="No space"):
        log.append(LINE)
    with pytest.raises(LogUnwritable, match="could not be taken back"):
        log.append(LINE)


def test_a_disk_that_does_not_sync_is_said(folder: str) -> None:
    log = SessionLog(folder=folder, events=os.open(os.devnull, os.O_RDWR), lock=-1)
    with pytest.raises(LogUnwritable, match="Invalid argument"):
        log.sync()


def test_a_log_closed_twice_is_closed(log: SessionLog) -> None:
    log.close()
    log.close()
    with pytest.raises(LogUnwritable):
        log.append(LINE)


# --- the folder -------------------------------------------------------------------------------------------


def test_everything_of_a_session_is_private(log: SessionLog, folder: str) -> None:
    modes = {
        name: stat.S_IMODE(os.lstat(f"{folder}/{name}").st_mode) for name in os.listdir(folder)
    }
    assert modes == {"events.jsonl": 0o600, "lock": 0o600, "spill": 0o700}
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert log.spill_folder == f"{folder}/spill"


def test_a_session_that_exists_is_not_begun_again(log: SessionLog, folder: str) -> None:
    log.append(LINE)
    log.close()
    with pytest.raises(LogUnwritable, match="File exists"):
        SessionLog.create(folder)
    assert Path(folder, "events.jsonl").read_bytes() == LINE


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "one").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LogUnwritable):
        SessionLog.create(str(tmp_path / "one"))
    assert not list((tmp_path / "elsewhere").iterdir())


def test_C07_no_link_in_place_of_the_events_is_followed(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "events.jsonl").symlink_to(tmp_path / "new.txt")
    with pytest.raises(LogUnwritable):
        SessionLog.create(str(tmp_path / "one"))
    assert not (tmp_path / "new.txt").exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LogUnwritable) as refused:
        SessionLog.create(str(tmp_path / "file" / "one"))
    assert refused.value.strerror == "Not a directory"


# --- the lock ---------------------------------------------------------------------------------------------


def _holder(folder: str, then: str) -> subprocess.Popen[bytes]:
    holder = subprocess.Popen([sys.executable, "-c", HOLD + then, folder], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.stdout.close()
    return holder


def test_D08_a_session_is_held_by_one_process(folder: str) -> None:
    holder = _holder(folder, "import time; time.sleep(30)")
    with pytest.raises(SessionInUse, match="in use by another process"):
        SessionLog.create(folder)
    holder.kill()
    holder.wait(WAIT_SECONDS)


def test_D08_a_killed_process_leaves_no_lock(folder: str) -> None:
    holder = _holder(folder, "import time; time.sleep(30)")
    holder.kill()
    holder.wait(WAIT_SECONDS)
    with pytest.raises(LogUnwritable, match="File exists"):
        SessionLog.create(folder)


def test_D08_sessions_beside_one_another_do_not_meet(log: SessionLog, folder: str) -> None:
    other = SessionLog.create(f"{folder}-other")
    other.append(LINE)
    other.close()
    assert log.size == 0


@pytest.mark.parametrize(
    "leave",
    [
        "import os; os.system('sleep 30 & echo $! > ' + sys.argv[1] + '/pid'); os._exit(0)",
        """
import os, time
if (pid := os.fork()) == 0: time.sleep(30)
open(sys.argv[1] + "/pid", "w").write(str(pid))
os._exit(0)
""",
    ],
    ids=["shell", "fork"],
)
def test_D08_a_daemon_left_behind_holds_no_session(folder: str, leave: str) -> None:
    holder = _holder(folder, leave)
    holder.wait(WAIT_SECONDS)
    with pytest.raises(LogUnwritable, match="File exists"):
        SessionLog.create(folder)
    os.kill(int(Path(folder, "pid").read_text()), signal.SIGKILL)


# --- reading a log ----------------------------------------------------------------------------------------


def test_B05_a_log_is_split_at_line_feeds_alone() -> None:
    record = '{"text":"a\u2028b\u2029c\u0085d\x0b\x0c\x1c\x1ee\r"}'.encode()
    assert fold_lines(record + b"\n" + record + b"\n").lines == [record, record]


def test_D05_a_whole_last_record_without_line_feed_is_kept() -> None:
    assert fold_lines(LINE + LINE[:-1]) == ([LINE[:-1]] * 2, b"")


@pytest.mark.parametrize(
    "torn", [b"{", LINE[:10], b'{"text":"\xe5\x8c', b'{"text":"\xe5\x8c"}', b"123", b"[" * 100_000]
)
def test_D04_a_torn_last_line_is_set_aside(torn: bytes) -> None:
    assert fold_lines(LINE + torn) == ([LINE[:-1]], torn)


@pytest.mark.parametrize("log", [b"", b"\n", b"\n \n"])
def test_D07_blank_lines_are_passed_over(log: bytes) -> None:
    assert fold_lines(log) == ([], b"")


@given(st.lists(st.sampled_from([LINE, b'{"a":"\xc3\xa9"}\n', b'{"b":{"c":[1]}}\n'])), st.data())
def test_D04_a_log_cut_anywhere_loses_one_record_at_most(
    lines: list[bytes], data: st.DataObject
) -> None:
    log = b"".join(lines)
    cut = log[: data.draw(st.integers(0, len(log)))]
    folded = fold_lines(cut)
    assert folded.lines == [line[:-1] for line in lines][: len(folded.lines)]
    together = b"".join(line + b"\n" for line in folded.lines) + folded.torn
    assert together in {cut, cut + b"\n"}
    assert len(folded.lines) >= cut.count(b"\n")
