"""Tools run in the child, and the child runs on asyncio."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.ground import Ground, Lifeline


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.fixture
def lifeline(tmp_path: Path) -> Iterator[Lifeline]:
    line = Lifeline(tmp_path / "lifeline")
    yield line
    line.close()
