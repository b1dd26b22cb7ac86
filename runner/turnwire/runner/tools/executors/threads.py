"""Worker threads for work that blocks.

Owns threads that never hold anything up: there is no ceiling that work left behind could use up,
and they are daemons, so that an abandoned one does not keep the process. Knows nothing of tools.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import msgspec

__all__ = ["Ended", "start_in_thread"]

_MOST_IDLE = 4
"""Threads kept for the next work: starting one costs 0.1 to 0.4 ms, handing work to an idle one
0.05.
"""


class Ended(msgspec.Struct, frozen=True):
    """What came of work: a value, or what it raised. Carried as a value because a future takes
    neither StopIteration nor, without ending the event loop, SystemExit.
    """

    value: object = None
    error: BaseException | None = None

    def unpack(self) -> object:
        """Return the value or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def start_in_thread(work: Callable[[], Any]) -> asyncio.Future[Ended]:
    """Start ``work`` in a worker thread at once; the future never holds an exception.

    Work cannot be stopped: cancelling the future only means that nobody looks at what comes of it.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Ended] = loop.create_future()
    context = contextvars.copy_context()

    def job() -> Callable[[], None]:
        ended = context.run(_ended, work)
        return lambda: _settle(loop, future, ended)

    try:
        worker = _IDLE.pop()
    except IndexError:
        worker = _Worker()
    worker.jobs.put(job)
    return future


class _Worker(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="turnwire tool", daemon=True)
        self.jobs: SimpleQueue[Callable[[], Callable[[], None]]] = SimpleQueue()
        self.start()

    def run(self) -> None:
        idle = True
        while idle:
            tell = self.jobs.get()()
            idle = len(_IDLE) < _MOST_IDLE
            if idle:
                _IDLE.append(self)
            # Last, so that whoever hears of it finds this thread idle.
            tell()
            del tell


_IDLE: list[_Worker] = []


def _ended(work: Callable[[], Any]) -> Ended:
    try:
        return Ended(work())
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits
        return Ended(error=error)


def _settle(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Ended], ended: Ended) -> None:
    def settle() -> None:
        if not future.done():
            future.set_result(ended)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        # The loop was closed: the run ended while this work was left behind.
        return
