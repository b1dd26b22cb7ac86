"""How fast a long answer passes through: a million deltas from the server to the pipe of the host."""

from __future__ import annotations

import argparse
from pathlib import Path

from running import Server, finish, floor, fresh, turnwire
from table import Row


def measure(server: Server, folder: Path, options: argparse.Namespace) -> list[Row]:
    """Measure one long answer, and bare httpx with httpx-sse on the same one."""
    count = options.deltas
    run = finish(floor("floor_deltas.py", server.base(fresh("sse"), f"deltas-{count}")), folder)
    bare = run.ended - run.started
    flags = ("--max-line-bytes", "0")
    run = finish(turnwire(server.base(fresh("long"), f"deltas-{count}"), folder, *flags), folder)
    ours = run.ended - run.started
    return [
        Row(f"bare httpx + httpx-sse, {count:,} deltas", count / bare, "deltas/s"),
        Row(
            f"turnwire, {count:,} deltas", count / ours, "deltas/s", "httpx-sse (time)", ours / bare
        ),
        Row("turnwire, lines on stdout", run.lines / ours, "lines/s"),
        Row("turnwire, bytes on stdout", run.size / ours / 1e6, "MB/s"),
        Row(f"peak memory, {count:,} deltas", run.memory / 2**20, "MiB"),
    ]
