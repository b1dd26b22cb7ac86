"""The person on the other side of the wire.

The request is an event and the answer a host line, so that all there is to do here is to see to it that the
reader has the question, and to wait as long as the request is open.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Input
from turnwire.runner.core.jobs import AskPerson

__all__ = ["WirePerson"]


class WirePerson:
    """Asks through the event stream; the answer comes in as a host line."""

    def __init__(self, drained: Callable[[], Awaitable[None]]) -> None:
        """``drained`` waits until the reader of stdout has everything."""
        self._drained = drained

    async def ask(self, job: AskPerson, desk: Desk) -> Input:
        """Keep the request open until a host line or the end of its turn closes it."""
        await self._drained()
        await anyio.sleep_forever()
        raise AssertionError("the wait above has no end")
