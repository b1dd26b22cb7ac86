"""What to start and how patient to be: the whole configuration of a child, and the command line it
makes.

Owns the words that the client itself puts on the command line; every other flag passes through
``flags``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import msgspec

from turnwire.protocol.events import Answers

__all__ = ["RUN", "Bounds", "Options"]

RUN = (sys.executable, "-P", "-m", "turnwire", "run")
"""``turnwire run`` of this interpreter. ``-P`` keeps the working folder off the module path: a
``json.py`` that lies there is not the child's."""

_MIB = 1024 * 1024


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a child is kept, in bytes, and how long it is waited for, in seconds.

    ``line_bytes`` and ``event_bytes``: a longer line, or a longer event in parts, is a fault.
    ``waiting_bytes``: so many events wait for the host to take them, then the child waits; the
    same holds for lines that the child has not read. ``stderr_bytes``: the end of stderr that is
    kept. ``faults``: how many are kept; the rest are counted.

    ``silence_seconds``: a child that says nothing for so long while it waits neither for a person
    nor for a tool of the host is stopped; None is for ever. ``linger_seconds``: how long the
    process may outlive its ``end`` line or its stdout, and how long its stdout may outlive it.
    ``grace_seconds``: from TERM to KILL.
    """

    line_bytes: int = 16 * _MIB
    event_bytes: int = 64 * _MIB
    waiting_bytes: int = 8 * _MIB
    stderr_bytes: int = 64 * 1024
    faults: int = 100
    silence_seconds: float | None = None
    linger_seconds: float = 5
    grace_seconds: float = 10


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What to start.

    ``prompt`` never stands on the command line, where other users of the machine could read it,
    unless ``answers`` is ``stdin``, which leaves no other way. ``flags`` are further flags of the
    command, as they are. ``command`` is anything that speaks the protocol. ``answers`` is ``none``
    where nobody will answer: what needs a person is then refused at once. ``environment`` is the
    whole of it; None is this process's own.
    """

    prompt: str | None = None
    model: str | None = None
    tools: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    command: tuple[str, ...] = RUN
    answers: Answers = Answers.FD
    deltas: bool = True
    cwd: str | None = None
    environment: Mapping[str, str] | None = None
    bounds: Bounds = Bounds()

    @property
    def prompt_on_stdin(self) -> bool:
        """Whether the prompt travels on stdin."""
        return self.prompt is not None and self.answers is not Answers.STDIN

    def command_line(self, answers_fd: int | None) -> list[str]:
        """Give the words to execute; ``answers_fd`` is the child's end of the answers pipe, if it
        has one.
        """
        words = [*self.command]
        if self.model is not None:
            words += ["--model", self.model]
        if self.tools:
            words += ["--tools", ",".join(self.tools)]
        if not self.deltas:
            words += ["--no-deltas"]
        words += [*self.flags, *self._answers_flags(answers_fd)]
        if self.prompt_on_stdin:
            return [*words, "--prompt", "-"]
        return words if self.prompt is None else [*words, "--", self.prompt]

    def _answers_flags(self, answers_fd: int | None) -> list[str]:
        if self.answers is Answers.STDIN:
            return ["--answers-stdin"]
        return [] if answers_fd is None else ["--answers-fd", str(answers_fd)]
