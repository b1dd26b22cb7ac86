"""The run's one clock: wall time that never goes backwards."""

from __future__ import annotations

import time

__all__ = ["Clock"]


class Clock:
    """Milliseconds since the epoch, measured from one look at the wall clock on the monotonic clock."""

    def __init__(self) -> None:
        """Look at the wall clock, once."""
        self._offset = time.time() - time.monotonic()

    def at(self) -> int:
        """Now, in milliseconds since the epoch."""
        return int((time.monotonic() + self._offset) * 1000)

    def seconds_until(self, at: int) -> float:
        """Seconds from now until ``at``; 0 if that has passed."""
        return max(0.0, at / 1000 - self._offset - time.monotonic())
