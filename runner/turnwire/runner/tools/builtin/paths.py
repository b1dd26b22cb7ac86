"""Where file tools may go: the run's folder, what was allowed beside it, and nothing else.

Theory: a path is first turned into the real path that it means now, links resolved; that must lie
in an allowed folder. Then the real path is opened from ``/`` down, one component at a time, and
never through a link. A folder that is swapped for a link between the two, or between a person's
approval and the write, makes the opening fail; it cannot lead it astray.

What cannot be told: a file that has a second name (a hard link) outside. Reading shows its content;
writing puts a new file in the place of the name inside and leaves the other as it was.

Standard library only: the search worker runs without anything else.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Generator, Sequence
from typing import NamedTuple

__all__ = [
    "Folders",
    "PathRefused",
    "Place",
    "folder_at",
    "folder_of",
    "open_file",
    "open_in",
    "sentence",
]

_LONGEST = 4096 if sys.platform == "linux" else 1024
"""PATH_MAX in bytes. Walking down name by name would go further, to where no other program gets."""

# Linux opens a folder that is only passed through without the right to list it.
_PASS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", 0)
# Without waiting for the other end of a FIFO.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class PathRefused(Exception):
    """A path that may not be touched, or cannot be; the message is a sentence for the model."""


class Place(NamedTuple):
    """A path that lies in an allowed folder: the real one, and the one that a model is shown."""

    real: str
    shown: str


class Folders:
    """The folders that may be touched. Paths of a model are relative to ``cwd``."""

    def __init__(self, cwd: str, others: Sequence[str] = ()) -> None:
        self.cwd = os.path.realpath(cwd)
        self._roots = (self.cwd, *(os.path.realpath(os.path.join(cwd, it)) for it in others))

    def locate(self, path: str) -> Place:
        """Find what ``path`` means now; it need not exist. PathRefused: it lies outside."""
        if not path or "\0" in path:
            raise PathRefused("A path must not be empty or contain NUL.")
        if path.startswith("~"):
            raise PathRefused(
                f"{path}: ~ is not expanded; write the path out, or ./~ for that name."
            )
        real = os.path.realpath(os.path.join(self.cwd, path))
        if len(_encoded(real)) >= _LONGEST:
            raise PathRefused(f"{path[:200]}… is too long for a path.")
        if not any(_lies_in(real, root) for root in self._roots):
            allowed = ", ".join(self._roots)
            raise PathRefused(f"{path} lies outside of what may be touched: {allowed}.")
        return Place(real, self.show(real))

    def show(self, real: str) -> str:
        """The path as a model should write it: relative inside the run's folder, else absolute."""
        if not _lies_in(real, self.cwd):
            return real
        return os.path.relpath(real, self.cwd)


def _encoded(path: str) -> bytes:
    try:
        return os.fsencode(path)
    except UnicodeEncodeError as error:
        raise PathRefused("A path must not contain half of a surrogate pair.") from error


def _lies_in(real: str, root: str) -> bool:
    return real == root or real.startswith(root.rstrip("/") + "/")


@contextlib.contextmanager
def folder_of(place: Place, *, create: bool = False) -> Generator[tuple[int, str], None, None]:
    """Open the folder that ``place`` lies in: a descriptor for ``dir_fd``, and the name within.

    With ``create`` missing folders are made. PathRefused: a component is no folder, or is a link by
    now. OSError: as the system says.
    """
    parent, name = os.path.split(place.real)
    folder = _walk(parent, create=create)
    try:
        yield folder, name or "."
    finally:
        os.close(folder)


@contextlib.contextmanager
def folder_at(place: Place) -> Generator[int, None, None]:
    """Open the folder that ``place`` is. PathRefused, OSError: as :func:`folder_of`."""
    folder = _walk(place.real, create=False)
    try:
        yield folder
    finally:
        os.close(folder)


def open_file(place: Place) -> int:
    """Open a regular file for reading. PathRefused: it is something else, or a link by now."""
    with folder_of(place) as (folder, name):
        return open_in(folder, name, place.shown)


def open_in(folder: int, name: str, shown: str) -> int:
    """Open the regular file ``name`` of an open folder; as :func:`open_file`."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        raise _explained(error, folder, name) from error
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return descriptor
    os.close(descriptor)
    what = "a folder, not a file" if stat.S_ISDIR(kind) else "no regular file"
    raise PathRefused(f"{shown} is {what}.")


def sentence(error: OSError, shown: str) -> str:
    """What the system said of a path, in words for a model."""
    match error.errno:
        case errno.ENOENT:
            return f"{shown} does not exist."
        case errno.ENOTDIR:
            return f"{shown} does not exist: a part of the path is no folder."
        case errno.EACCES | errno.EPERM:
            return f"{shown}: permission denied."
        case errno.ENAMETOOLONG:
            return f"{shown[:200]}…: a name in the path is too long."
        case _:
            return f"{shown}: {os.strerror(error.errno or 0)}."


def _walk(real: str, *, create: bool) -> int:
    folder = os.open("/", _PASS)
    for name in filter(None, real.split("/")):
        try:
            step = _step(folder, name, create=create)
        finally:
            os.close(folder)
        folder = step
    return folder


def _step(folder: int, name: str, *, create: bool) -> int:
    try:
        return os.open(name, _PASS, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as error:
        raise _explained(error, folder, name) from error
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return _step(folder, name, create=False)


def _explained(error: OSError, folder: int, name: str) -> Exception:
    """A component that became a link since it was located is refused; the rest stays as it is."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return error
    if stat.S_ISLNK(mode):
        return PathRefused(f"{name} was replaced by a link while it was being opened.")
    return error
