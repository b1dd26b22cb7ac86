"""Measure turnwire: a table on stdout, the figures in ``bench.json``. In an environment like a user's:
``uv run --isolated --no-dev --with httpx-sse python tests/bench``.

Times are medians of interleaved runs, in milliseconds unless said; ratios are against a floor that is
measured in the same run, so that they carry over to other machines. Nothing here asserts a speed.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import sys
import sysconfig
import tempfile
from pathlib import Path

import calls
import crowd
import deltas
import startup
from running import model_server
from table import Row, show

MEASUREMENTS = {
    "startup": startup.measure,
    "calls": calls.measure,
    "deltas": deltas.measure,
    "crowd": crowd.measure,
}


def main() -> None:
    """Run the measurements that the command line names, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*MEASUREMENTS, []], metavar="NAME")
    parser.add_argument("--runs", type=int, default=9, help="interleaved runs of each start")
    parser.add_argument("--deltas", type=int, default=1_000_000, help="deltas of the long answer")
    parser.add_argument("--json", type=Path, default=Path("bench.json"))
    options = parser.parse_args()
    # Without compiled files one would measure the compiler.
    for package in (*_packages(), sysconfig.get_path("purelib")):
        compileall.compile_dir(package, quiet=2, workers=os.cpu_count() or 1)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, model_server() as server:
        for name in options.names or MEASUREMENTS:
            rows += MEASUREMENTS[name](server, Path(folder), options)
    machine = (
        f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
    )
    version = platform.python_version()
    show(rows, f"{machine}, CPython {version}")
    options.json.write_text(
        json.dumps({"machine": machine, "python": version, "rows": [row._asdict() for row in rows]})
    )


def _packages() -> list[str]:
    root = Path(__file__).resolve().parents[2]
    return [str(root / name) for name in ("protocol", "runner", "host_adapters")]


if __name__ == "__main__":
    sys.exit(main())
