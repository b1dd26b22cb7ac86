"""The child as a process: started in a session of its own, watched, ended with all of its group,
reaped.

Owns the process and the host's ends of its three pipes. Knows nothing of lines and events.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from typing import IO

import anyio

from turnwire.hosts.client.options import Options
from turnwire.hosts.client.pipes import open_pipe
from turnwire.protocol.events import Answers
from turnwire.protocol.text import well_formed

__all__ = ["ChildProcess", "spawn"]

_POLL_SECONDS = 0.02
"""How often to look whether the process has exited, where no descriptor tells (macOS, old
kernels).
"""


class ChildProcess:
    """A running process and the host's ends of its pipes; ``answers`` is None where there is no
    such pipe.
    """

    def __init__(self, popen: subprocess.Popen[bytes], answers: int | None) -> None:
        assert popen.stdout is not None
        assert popen.stderr is not None
        self._popen = popen
        self._reaped_elsewhere = False
        self._watch = _open_watch(popen.pid)
        self.exited = anyio.Event()
        """Set by :meth:`watch`. The process is not reaped yet, so its number and its group's stay
        its own.
        """
        self.pid = popen.pid
        self.stdout = popen.stdout.fileno()
        self.stderr = popen.stderr.fileno()
        self.answers = answers

    async def watch(self) -> None:
        """Wait until it has exited, and say so to whoever waits for ``exited``."""
        if self._watch is not None:
            await anyio.wait_readable(self._watch)
        else:
            while not self._has_exited():  # noqa: ASYNC110 - nobody here would set an event
                await anyio.sleep(_POLL_SECONDS)
        self.exited.set()

    def _has_exited(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._popen.poll() is not None
        try:
            flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:
            # A host that ignores SIGCHLD, or waits for any child: somebody else has reaped it.
            self._reaped_elsewhere = True
            return True

    def signal_group(self, number: signal.Signals) -> None:
        """Send ``number`` to each process of the group that is left."""
        if self._popen.returncode is None:
            # EPERM is macOS's answer where only the unreaped leader is left.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def reap(self) -> int | None:
        """Kill what is left of the group and give the exit code as a shell would: 128 + n after
        signal n.

        None: it was reaped elsewhere, or cannot be. Call it after ``exited``. The unreaped process
        holds the group's number until here, so that nobody else's group is ever hit.
        """
        self.signal_group(signal.SIGKILL)
        self._has_exited()
        code = self._popen.poll()
        if code is None or self._reaped_elsewhere:
            return None
        return code if code >= 0 else 128 - code

    def close(self) -> None:
        """Close the descriptors that are left; a group that still lives is killed. Never waits."""
        self.signal_group(signal.SIGKILL)
        self._popen.poll()
        for stream in (self._popen.stdout, self._popen.stderr):
            assert stream is not None
            stream.close()
        if self._watch is not None:
            os.close(self._watch)
            self._watch = None
        self.close_answers()

    def close_answers(self) -> None:
        """Close the host's end of the answers pipe, if it is open."""
        if self.answers is not None:
            os.close(self.answers)
            self.answers = None


def _open_watch(pid: int) -> int | None:
    """Open a descriptor that becomes readable when ``pid`` exits, where the system has such a
    thing.
    """
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def spawn(options: Options) -> ChildProcess:
    """Start the child. OSError: the command could not be executed, as ``subprocess`` says it."""
    reader: int | None = None
    writer: int | None = None
    with contextlib.ExitStack() as ends_of_child, contextlib.ExitStack() as unless_started:
        if options.answers is not Answers.NONE:
            reader, writer = open_pipe()
            ends_of_child.callback(os.close, reader)
            unless_started.callback(os.close, writer)
        popen = _start(options, reader, _stdin(options, reader, ends_of_child))
        unless_started.pop_all()
    child = ChildProcess(popen, writer)
    for descriptor in (child.stdout, child.stderr, writer):
        if descriptor is not None:
            os.set_blocking(descriptor, False)
    return child


def _start(
    options: Options, reader: int | None, stdin: int | IO[bytes] | None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        options.command_line(reader),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=options.cwd,
        env=options.environment,
        pass_fds=() if reader is None or reader == stdin else (reader,),
        start_new_session=True,
    )


def _stdin(
    options: Options, reader: int | None, ends_of_child: contextlib.ExitStack
) -> int | IO[bytes] | None:
    if options.answers is Answers.STDIN:
        return reader
    if not options.prompt_on_stdin:
        return subprocess.DEVNULL
    assert options.prompt is not None
    file = ends_of_child.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - by the stack
    file.write(well_formed(options.prompt).encode())
    file.seek(0)
    return file
