"""How long it takes to start: bare interpreter, ``hello``, the first request, a whole cold turn."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from running import Server, finish, floor, fresh, turnwire
from table import Row


def measure(server: Server, folder: Path, options: argparse.Namespace) -> list[Row]:
    """Measure in interleaved runs, so that a busy moment hits all alike."""
    bare, posted, hello, request, whole, memory = ([] for _ in range(6))
    (folder / "bench_note.py").write_text(NOTE)
    tool = ["--tools", "py:bench_note:note"]
    for _ in range(options.runs + 1):
        run = finish([sys.executable, "-c", "pass"], folder)
        bare.append(run.ended - run.started)
        name = fresh("post")
        run = finish(floor("floor_post.py", server.base(name, "calls-0")), folder)
        posted.append(server.times(name)[0] - run.started)
        name = fresh("first")
        run = finish(turnwire(server.base(name, "calls-1"), folder, *tool), folder)
        hello.append(run.first_line - run.started)
        request.append(server.times(name)[0] - run.started)
        whole.append(run.ended - run.started)
        memory.append(run.memory)
    # The first of each fills caches.
    floor_ms, post_ms = (1000 * median(times[1:]) for times in (bare, posted))
    rows = [
        Row("bare interpreter", floor_ms, "ms"),
        Row("bare httpx: first request", post_ms, "ms"),
    ]
    for what, times, base, named, target in (
        ("spawn to hello", hello, floor_ms, "bare interpreter", "≤ 5"),
        ("spawn to first request", request, post_ms, "bare httpx post", "≤ 1.5"),
        ("cold process, one tool call", whole, post_ms, "bare httpx post", ""),
    ):
        figure = 1000 * median(times[1:])
        rows.append(Row(what, figure, "ms", named, figure / base, target))
    rows.append(Row("peak memory, one tool call", median(memory) / 2**20, "MiB"))
    return rows


NOTE = '''
def note(text: str) -> str:
    """Take a note."""
    return f"noted: {text}"
'''
