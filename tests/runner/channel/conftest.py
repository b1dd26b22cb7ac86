"""Pipes and sockets that are closed after each test, whatever the test has closed itself."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The child runs on asyncio."""
    return "asyncio"


@pytest.fixture
def make_pipe() -> Iterator[Callable[[], tuple[int, int]]]:
    made: list[int] = []

    def make() -> tuple[int, int]:
        ends = os.pipe()
        made.extend(ends)
        return ends

    yield make
    for fd in made:
        with suppress(OSError):
            os.close(fd)


@pytest.fixture
def pipe(make_pipe: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    """The end to read from, the end to write to."""
    return make_pipe()


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    pair = socket.socketpair()
    yield pair
    for end in pair:
        end.close()
