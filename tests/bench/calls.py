"""What one model call with one tool call costs in a long turn: all events told and logged.

The log is written before the event is told, without waiting for the disk (the only durability there is yet).
Times are between the arrivals of requests at the server, which both sides pay alike.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median

from running import Finished, Server, finish, floor, fresh, turnwire
from startup import NOTE
from table import Row

FLAGS = ("--tools", "py:bench_note:note", "--max-rounds", "none", "--max-identical-calls", "none")


def measure(server: Server, folder: Path, options: argparse.Namespace) -> list[Row]:
    """Measure turns of 200 and 1,000 tool calls."""
    (folder / "bench_note.py").write_text(NOTE)
    rows: list[Row] = []
    for count in (200, 1000):
        ours, bare, runs = [], [], []
        for _ in range(max(3, options.runs // 3)):
            name = fresh("floor")
            finish(floor("floor_calls.py", server.base(name, f"calls-{count}"), str(count)), folder)
            bare.append(per_call(server, name))
            name = fresh("calls")
            base = server.base(name, f"calls-{count}")
            runs.append(finish(turnwire(base, folder, *FLAGS), folder))
            ours.append(per_call(server, name))
        rows += _rows(count, median(bare), median(ours), runs)
    return rows


def per_call(server: Server, name: str) -> float:
    """Milliseconds between two requests, over the whole turn."""
    times = server.times(name)
    return 1000 * (times[-1] - times[0]) / (len(times) - 1)


def _rows(count: int, bare: float, ours: float, runs: list[Finished]) -> list[Row]:
    target = "≤ 1.35" if count == 200 else "≤ that at 200"
    memory = median(run.memory for run in runs) / 2**20
    size = median(run.size for run in runs) / count
    return [
        Row(f"bare httpx, {count} calls", bare, "ms/call"),
        Row(f"turnwire, {count} calls", ours, "ms/call", "bare httpx", ours / bare, target),
        Row(f"stdout, {count} calls", size, "bytes/call", target="does not grow"),
        Row(f"peak memory, {count} calls", memory, "MiB", target="≤ 50" if count == 200 else ""),
    ]
