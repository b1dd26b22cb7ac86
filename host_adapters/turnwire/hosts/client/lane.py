"""The lane of host lines: they go out whole, in order, and never make the reading of events wait.

Owns the answers descriptor and the counting of lines. A line that was sent has only been handed
over: ``accepted`` or ``refused`` with its number says what the child made of it.
"""

from __future__ import annotations

import anyio.lowlevel

from turnwire.hosts.client.ending import AnswersClosed, ChildGone
from turnwire.hosts.client.mailbox import Closed, Mailbox
from turnwire.hosts.client.pipes import write_line
from turnwire.hosts.client.process import ChildProcess
from turnwire.protocol.codec import encode_command
from turnwire.protocol.commands import Command
from turnwire.protocol.framing import encode_line

__all__ = ["AnswersLane"]


class AnswersLane:
    """Lines on their way to one child."""

    def __init__(self, process: ChildProcess, room: int) -> None:
        self._process = process
        self._lines: Mailbox[bytes] = Mailbox(room)
        self._numbered = 0
        self._written = 0
        self._closed_by_host = process.answers is None
        self._gone = False

    @property
    def is_open(self) -> bool:
        """Whether a line can be sent, as far as anyone knows."""
        return not (self._gone or self._closed_by_host)

    @property
    def undelivered(self) -> int:
        """How many lines were handed over and never written."""
        return self._numbered - self._written

    async def send(self, command: Command) -> int:
        """Hand a line over and give its number, from 1. ChildGone, AnswersClosed: nobody would
        read it.
        """
        await anyio.lowlevel.checkpoint()
        self._refuse_if_shut()
        line = encode_line(encode_command(command))
        try:
            await self._lines.put(line, len(line))
        except Closed:
            self._refuse_if_shut()
            raise ChildGone("the child has ended") from None
        self._numbered += 1
        return self._numbered

    def _refuse_if_shut(self) -> None:
        if self._gone:
            raise ChildGone("the child has ended or has closed its answers descriptor")
        if self._closed_by_host:
            raise AnswersClosed("this child has no answers descriptor, or the host has closed it")

    async def serve(self) -> None:
        """Write lines until the lane is closed and empty, or the child is gone; then close the
        descriptor.
        """
        descriptor = self._process.answers
        if descriptor is None:
            return
        try:
            while True:
                await write_line(descriptor, await self._lines.take())
                self._written += 1
        except Closed:
            pass
        except OSError:
            # EPIPE, or ECONNRESET of a socket: whatever it is, nothing more gets through.
            self.lose()
        self._process.close_answers()

    def close(self) -> None:
        """Send nothing more. What was handed over still goes out; then the child sees the end of
        answers.
        """
        self._closed_by_host = True
        self._lines.close()

    def lose(self) -> None:
        """The child is gone: whoever sends from now on is told."""
        self._gone = True
        self._lines.clear()
        self._lines.close()
