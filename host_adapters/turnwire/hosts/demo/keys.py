"""One key of a person at this terminal.

Owns the terminal's mode while a key is awaited, and restores it whatever happens.
"""

from __future__ import annotations

import contextlib
import os
import termios
import tty
from collections.abc import Callable, Generator

import anyio

from turnwire.protocol.people import Action

__all__ = ["asked"]

_MEANINGS = {
    b"y": Action.ACCEPT,
    b"Y": Action.ACCEPT,
    b"n": Action.DECLINE,
    b"N": Action.DECLINE,
    b"\x04": Action.DECLINE,
    b"": Action.DECLINE,
}
"""Ctrl-D and a terminal that hung up say no; any other key says nothing."""


async def asked(terminal: int, invite: Callable[[], None]) -> Action:
    """Wait for a key that is an answer, and that came after ``invite`` was called."""
    with _key_by_key(terminal):
        invite()
        while True:
            await anyio.wait_readable(terminal)
            if (meaning := _MEANINGS.get(os.read(terminal, 1))) is not None:
                return meaning


@contextlib.contextmanager
def _key_by_key(terminal: int) -> Generator[None, None, None]:
    before = termios.tcgetattr(terminal)
    # Flushing on the way in: a key that was typed before the question answers nothing.
    tty.setcbreak(terminal, termios.TCSAFLUSH)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
