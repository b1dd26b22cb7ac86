"""``--format text``: the answer alone on stdout, and on stderr why there is none.

Stands where the event stream stands otherwise; nothing of the protocol is written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from turnwire.protocol.codec import decode_event
from turnwire.protocol.endings import Status
from turnwire.protocol.events import End, Level, Message, Notice
from turnwire.protocol.messages import Role, text_of
from turnwire.runner.channel.descriptors import write_whole

__all__ = ["TextAnswer"]

_ANSWER_SECONDS = 60.0
"""How long the answer may wait for its reader."""


class TextAnswer:
    """Keeps the model's last words and writes them when the run is done."""

    unread = 0

    def __init__(self, fd: int | None) -> None:
        """``fd`` is the real stdout, None if it was closed."""
        self._fd = fd
        self._answer = ""

    def settled(self, line: bytes, seq: int, log_end: int | None) -> None:
        """Take note of what the model said and of how the run ended."""
        match decode_event(line):
            case Message(message=message) if message.role is Role.ASSISTANT:
                self._answer = text_of(message)
            case Notice(level=level, message=text) if level is not Level.INFO:
                _remark(text)
            case End() as end:
                self._end(end)
            case _:
                pass

    def delta(self, line: bytes) -> None:
        """Pass over live pieces."""

    def flush(self) -> None:
        """Nothing waits before the end."""

    async def room(self) -> None:
        """There is always room."""

    async def run(self, on_gone: Callable[[str], None]) -> None:
        """Nothing is written before the end, so nobody is watched."""

    async def drained(self) -> None:
        """Nobody is behind."""

    def take_dropped(self) -> int:
        """Nothing is dropped."""
        return 0

    def close(self) -> None:
        """Close the real stdout, so that the reader sees its end."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _end(self, end: End) -> None:
        if end.status is Status.DONE:
            self._say_answer()
        else:
            why = end.error.message if end.error is not None else (end.stopped_by or "")
            _remark(f"{end.status}: {why}".rstrip(": "))

    def _say_answer(self) -> None:
        text = self._answer if self._answer.endswith("\n") else f"{self._answer}\n"
        try:
            self._write(text.encode("utf-8", "replace"))
        except OSError as error:
            _remark(f"the answer was not taken: {error.strerror or error}")

    def _write(self, text: bytes) -> None:
        if self._fd is None:
            raise BrokenPipeError("stdout is closed")
        write_whole(self._fd, text, _ANSWER_SECONDS)


def _remark(text: str) -> None:
    sys.stderr.write(f"turnwire: {text}\n")
