"""Sixty children at once, against a server that answers after half a second."""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from running import Server, finish, fresh, turnwire
from table import Row

CHILDREN = 60


def measure(server: Server, folder: Path, options: argparse.Namespace) -> list[Row]:
    """Measure from the first start to the last end, and where the time goes."""
    base = server.base(fresh("crowd"), "slow-500")
    started = time.monotonic()
    with ThreadPoolExecutor(CHILDREN) as pool:
        runs = list(pool.map(lambda _: finish(turnwire(base, folder), folder), range(CHILDREN)))
    took = time.monotonic() - started
    cpu = sum(run.cpu for run in runs)
    return [
        Row(f"{CHILDREN} children at once", took, "s"),
        Row("… of it processor time of the children", cpu, "s, on all cores"),
        Row("… of it waiting for the server", 0.5, "s"),
    ]
