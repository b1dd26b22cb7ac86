"""The desk: where the worker of one job speaks from. A seam, like those in ``ports``."""

from __future__ import annotations

from typing import Protocol

from turnwire.runner.core.inputs import Input
from turnwire.runner.core.ports import LivePort

__all__ = ["Desk"]


class Desk(LivePort, Protocol):
    """A live port that also takes the worker's last words."""

    def stopped(self, finding: Input) -> None:
        """Leave the finding that stands if the worker is stopped before it gives one."""
        ...
