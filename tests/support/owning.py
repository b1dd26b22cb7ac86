"""A real process whose first statement takes the descriptors away, and then does what a test says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

_FIRST = """
from turnwire.runner.channel.descriptors import DescriptorError, own, write_whole
owned = own()
def tell(*words):
    write_whole(owned.events, (" ".join(map(str, words)) + "\\n").encode(), 10)
"""

WAIT_SECONDS = 20


def command(body: str) -> list[str]:
    """What starts such a process; ``body`` may use ``owned`` and ``tell(*words)``, a line of events."""
    return [sys.executable, "-c", _FIRST + body]


def run_owning(body: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run it to its end, with both pipes read."""
    return subprocess.run(
        command(body), capture_output=True, text=True, timeout=WAIT_SECONDS, check=False, **how
    )


@contextmanager
def started_owning(body: str, **how: Any) -> Generator[subprocess.Popen[bytes], None, None]:
    """Start it with pipes that the test reads, or not; however the test ends, the process does too."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    with subprocess.Popen[bytes](command(body), **pipes) as process:
        try:
            yield process
            process.wait(WAIT_SECONDS)
        finally:
            process.kill()
