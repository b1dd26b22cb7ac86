"""The signals that stop a child: caught from the first moment, handed on when there is somebody to take them.

A handler runs between two instructions of the main thread, so it only notes the signal and wakes the loop.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable
from types import FrameType

__all__ = ["StopSignals"]

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """Notes SIGINT, SIGTERM and SIGHUP in the order in which they came."""

    def __init__(self) -> None:
        """Note nothing yet; :meth:`catch` begins."""
        self._noted: deque[str] = deque()
        self._wake: Callable[[], object] | None = None

    def catch(self) -> None:
        """Catch the signals from now on. Only from the main thread."""
        for number in _STOPPING:
            signal.signal(number, self._note)
        # A host may have left it ignored, and then no exit code of a tool's process can be had.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def hand_on(self, wake: Callable[[], object]) -> None:
        """Call ``wake`` at each further signal, and now if one was noted before."""
        self._wake = wake
        if self._noted:
            wake()

    def take(self) -> list[str]:
        """Give the names of the signals noted since this was asked last."""
        taken: list[str] = []
        while self._noted:
            taken.append(self._noted.popleft())
        return taken

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append(signal.Signals(number).name)
        if self._wake is not None:
            self._wake()
