"""The codes of notices that the core tells, and those of them that the state is folded from.

A fact that no other event carries, and that a resumed session must know, is a notice with ``data``.
"""

from __future__ import annotations

__all__ = [
    "CHANNEL_LOST",
    "DELTAS_DROPPED",
    "EMPTY_REPLY",
    "FOLDED",
    "INFERRED_END",
    "RETRY",
    "SHUTDOWN",
    "STEER_QUEUED",
    "STOPPING",
]

CHANNEL_LOST = "channel_lost"
"""The answers descriptor ended. Folded: nobody can answer any more."""
STEER_QUEUED = "steer_queued"
"""A steer waits for the next round; ``data`` is ``{"text": …}``. Folded."""
STOPPING = "stopping"
"""The turn or the run is being stopped; ``data`` is ``{"scope": "turn"|"run", "status": …, "stopped_by": …}``.
Folded."""
SHUTDOWN = "shutdown"
"""No further turn will start. Folded."""
RETRY = "retry"
"""A model request failed and is tried again; ``data`` is ``{"row": …, "seconds": …, "code": …}``. Folded."""
EMPTY_REPLY = "empty_reply"
"""The model said nothing usable. Folded."""
DELTAS_DROPPED = "deltas_dropped"
"""The reader of stdout was slow; ``data`` is ``{"count": …}``."""
INFERRED_END = "inferred_end"
"""The provider's answer ended in an unusual way and was taken as whole."""

FOLDED = frozenset({CHANNEL_LOST, STEER_QUEUED, STOPPING, SHUTDOWN, RETRY, EMPTY_REPLY})
"""The codes that change the state. Nobody but the core may say them."""
