"""A context for a function in another thread: what it says is told in the thread of the event loop.

Owns the hand-over and its bounds. What is said after the call has ended is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Generator

import msgspec

from turnwire.protocol.text import well_formed
from turnwire.runner.core.ports import ToolContext

__all__ = ["relayed"]

_MOST_PIECES = 1_000
_PIECE_CHARS = 4_000
"""Live words are for watching; a function that floods them loses the oldest of them, nothing else.
"""


@contextlib.contextmanager
def relayed(
    context: ToolContext, cancelled: Callable[[], bool]
) -> Generator[ToolContext, None, None]:
    """Give ``context`` in a form that any thread may use, until the block ends."""
    output = _Relay(context.output, _MOST_PIECES)
    # Of progress only the latest is of interest.
    progress = _Relay(context.progress, 1)
    try:
        yield msgspec.structs.replace(
            context, output=output.say, progress=progress.say, cancelled=cancelled
        )
    finally:
        output.close()
        progress.close()


class _Relay:
    def __init__(self, tell: Callable[[str], None], most_pieces: int) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._pieces: deque[str] = deque(maxlen=most_pieces)
        self._open = True
        self._due = False

    def say(self, text: str) -> None:
        """Called in any thread. Many pieces that come at once are told as one."""
        if not self._open:
            return
        self._pieces.append(str(text)[:_PIECE_CHARS])
        if not self._due:
            self._due = True
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(self._flush)

    def close(self) -> None:
        self._flush()
        self._open = False

    def _flush(self) -> None:
        # Before the pieces are taken: one that comes now either is taken too or brings the next
        # flush.
        self._due = False
        said = "".join(self._pieces.popleft() for _ in range(len(self._pieces)))
        if said and self._open:
            self._tell(well_formed(said))
