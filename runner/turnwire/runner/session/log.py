"""The session's log: every settled event on disk, whole, before it is told.

Owns the folder of one session: ``events.jsonl``, the lock beside it, and ``spill/`` for what is too long for
a model. Only ever appends; what could not be written whole is taken back. Knows bytes and LF, not events.
Everything is private to the user, and no link is followed.
"""

from __future__ import annotations

import fcntl
import functools
import os
from typing import NamedTuple

import msgspec

__all__ = ["Folded", "LogUnwritable", "SessionInUse", "SessionLog", "fold_lines"]

_EVENTS, _LOCK, _SPILL = "events.jsonl", "lock", "spill"
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_NO_LINKS = os.O_NOFOLLOW | os.O_CLOEXEC

_held_locks: set[int] = set()
"""The locks of this process. A forked process that does not let go of them would hold the session."""


class LogUnwritable(OSError):
    """The log cannot be made or written: a full or broken disk, missing rights. ``strerror`` says which."""


class SessionInUse(Exception):
    """Another process holds the session. It lets go when it ends, however it ends."""


class SessionLog:
    """The log of one session, held by this process alone. :meth:`create` makes one."""

    def __init__(self, *, folder: str, events: int, lock: int) -> None:
        self._folder = folder
        self._events = events
        self._lock = lock
        self._size = os.fstat(events).st_size
        self._torn = False

    @classmethod
    def create(cls, folder: str) -> SessionLog:
        """Begin a session in ``folder``; the folders above it are made as needed.

        SessionInUse: another process has just begun it. LogUnwritable: it exists, or cannot be made.
        """
        try:
            os.makedirs(folder, _PRIVATE_FOLDER, exist_ok=True)
            inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _NO_LINKS)
            try:
                return cls._begin(folder, inside)
            finally:
                os.close(inside)
        except OSError as wrong:
            raise _unwritable(wrong, folder) from None

    @classmethod
    def _begin(cls, folder: str, inside: int) -> SessionLog:
        lock = _hold(inside, folder)
        try:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _NO_LINKS
            events = os.open(_EVENTS, flags, _PRIVATE_FILE, dir_fd=inside)
            os.mkdir(_SPILL, _PRIVATE_FOLDER, dir_fd=inside)
        except OSError:
            _let_go(lock)
            raise
        return cls(folder=folder, events=events, lock=lock)

    @property
    def size(self) -> int:
        """Bytes of whole lines so far: where the next one begins."""
        return self._size

    @property
    def spill_folder(self) -> str:
        """The folder for whole results of which the model only sees a part."""
        return os.path.join(self._folder, _SPILL)

    def append(self, lines: bytes) -> None:
        """Write whole lines, each with its LF; they are in the kernel's hands then.

        LogUnwritable: none of them stands in the log.
        """
        if self._torn:
            raise LogUnwritable(0, "the log ends in a line that could not be taken back")
        try:
            self._write(memoryview(lines))
        except OSError as wrong:
            self._take_back()
            raise _unwritable(wrong, self._folder) from None
        self._size += len(lines)

    def sync(self) -> None:
        """Wait until the disk has what was appended. LogUnwritable: it does not take it."""
        try:
            os.fsync(self._events)
        except OSError as wrong:
            raise _unwritable(wrong, self._folder) from None

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes from offset ``start`` up to ``end``, fewer where the log is shorter."""
        pieces: list[bytes] = []
        while start < end and (piece := os.pread(self._events, end - start, start)):
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Let go of the session. A second time does nothing."""
        if self._lock in _held_locks:
            os.close(self._events)
            self._events = -1
            _let_go(self._lock)

    def _write(self, rest: memoryview) -> None:
        while rest:
            rest = rest[os.write(self._events, rest) :]

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._events, self._size)
        except OSError:
            self._torn = True


class Folded(NamedTuple):
    """The records of a log, without their LFs, and the fragment that a crash left behind them, if any."""

    lines: list[bytes]
    torn: bytes


def fold_lines(log: bytes) -> Folded:
    """Take a log apart at LF and nowhere else; blank lines are passed over.

    What stands behind the last LF is a record if it is a whole JSON object, else torn.
    """
    *lines, rest = log.split(b"\n")
    if _is_record(rest):
        lines, rest = [*lines, rest], b""
    return Folded([line for line in lines if line.strip()], rest)


def _is_record(rest: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(rest), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


# --- the lock ---------------------------------------------------------------------------------------------


def _hold(inside: int, folder: str) -> int:
    """Take the lock of the session, which the kernel takes back from a process that is no more."""
    _let_go_in_forks()
    lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | _NO_LINKS, _PRIVATE_FILE, dir_fd=inside)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise SessionInUse(f"the session in {folder} is in use by another process") from None
    except OSError:
        os.close(lock)
        raise
    _held_locks.add(lock)
    return lock


def _let_go(lock: int) -> None:
    _held_locks.discard(lock)
    os.close(lock)


@functools.cache
def _let_go_in_forks() -> None:
    os.register_at_fork(after_in_child=_forget_locks)


def _forget_locks() -> None:
    while _held_locks:
        os.close(_held_locks.pop())


def _unwritable(wrong: OSError, folder: str) -> LogUnwritable:
    return LogUnwritable(wrong.errno, wrong.strerror or str(wrong), wrong.filename or folder)
