"""What a child writes for people: always drained, its end kept.

Owns the reading of stderr. A host never needs what stands there; a person who looks for a reason
may.
"""

from __future__ import annotations

import codecs
import contextlib
import os
from collections.abc import Callable

import anyio

from turnwire.hosts.client.pipes import pipe_bytes, read_chunk

__all__ = ["StderrDrain"]


class StderrDrain:
    """Reads one child's stderr, keeps the last ``limit`` bytes and passes text on as it comes."""

    def __init__(self, descriptor: int, limit: int, listener: Callable[[str], None] | None) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._listener = listener
        self._kept = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._failed = anyio.Event()
        self._failure: Exception | None = None

    @property
    def text(self) -> str:
        """The end of what has come so far."""
        return self._kept.decode(errors="replace")

    async def drain(self) -> None:
        """Read to the end of stderr."""
        while chunk := await read_chunk(self._descriptor):
            self._take(chunk)

    def drain_rest(self) -> None:
        """Read what an ended process has left in the pipe, without waiting for its end."""
        with contextlib.suppress(BlockingIOError):
            if chunk := os.read(self._descriptor, pipe_bytes(self._descriptor)):
                self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        self._kept += chunk
        del self._kept[: -self._limit]
        if self._listener is not None:
            self._pass_on(self._listener, self._decoder.decode(chunk))

    def _pass_on(self, listener: Callable[[str], None], text: str) -> None:
        try:
            listener(text)
        except Exception as failure:  # noqa: BLE001 - raised again where it breaks no reading
            self._failure, self._listener = failure, None
            self._failed.set()

    async def watch_listener(self) -> None:
        """Wait for the listener to fail and raise what it raised."""
        await self._failed.wait()
        self.check_listener()

    def check_listener(self) -> None:
        """Raise what the listener raised, if it did."""
        if self._failure is not None:
            raise self._failure
