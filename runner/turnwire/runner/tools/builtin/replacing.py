"""Putting a file in its place at once, whole: the one way in which file tools write.

Owns the temporary file, the rename and what is kept of the file before (mode, owner). It is not
made durable with fsync: what a power cut takes, the model can write again. A further name of the
old file (a hard link) keeps the old content.
"""

from __future__ import annotations

import contextlib
import os
import stat

from turnwire.runner.tools.builtin.paths import PathRefused, Place, folder_of

__all__ = ["replace_file"]

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def replace_file(place: Place, data: bytes, *, seen: os.stat_result | None = None) -> bool:
    """Make ``place`` a file of ``data``, with missing folders; gives whether there was one before.

    ``seen`` is the file that ``data`` was made from. PathRefused: there is something else in its
    place, a link, or, with ``seen``, another content by now. OSError: as the system says; nothing
    is changed.
    """
    with folder_of(place, create=True) as (folder, name):
        before = _file_before(place, folder, name)
        if seen is not None and (before is None or _version(before) != _version(seen)):
            raise PathRefused(
                f"{place.shown} was changed by something else meanwhile: read it again."
            )
        temporary = f".turnwire-{os.urandom(6).hex()}"
        # Of a new file the umask makes the mode.
        descriptor = os.open(temporary, _CREATE, 0o600 if before else 0o666, dir_fd=folder)
        try:
            _fill(descriptor, data, before)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise
        return before is not None


def _version(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size


def _file_before(place: Place, folder: int, name: str) -> os.stat_result | None:
    """The file that is to be replaced, which must be one that could be written to in place."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise PathRefused(f"{place.shown} is a folder.")
    if stat.S_ISLNK(status.st_mode):
        raise PathRefused(f"{place.shown} was replaced by a link while it was being opened.")
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(f"{place.shown} is no regular file.")
    os.close(os.open(name, _WRITE, dir_fd=folder))
    return status


def _fill(descriptor: int, data: bytes, before: os.stat_result | None) -> None:
    with open(descriptor, "wb") as file:
        if before is not None:
            # Only root may give a file away; whoever else edits the file of another becomes its
            # owner.
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, before.st_uid, before.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
        file.write(data)
