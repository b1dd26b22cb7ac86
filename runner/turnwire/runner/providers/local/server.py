"""The life of the embedded model's server: started, awaited, ended.

The server is a process of its own, in a session of its own, with nothing of ours but the read end of
a pipe: its *lifeline*. Only this process holds the other end, so that the server ends with it even
where nobody is left to end it. Speaks no HTTP and knows nothing of models' replies.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import Process

from turnwire.runner.providers.local.errors import LocalModelBroken, LocalModelMissing

__all__ = ["check_installed", "serve"]

_GRACE_SECONDS = 2.0
_PATIENT = {"OMP_WAIT_POLICY": "passive"}
"""llama.cpp's threads await one another by spinning, which on a busy machine costs ten times the
time.
"""
_ENGINE = "turnwire.runner.providers.local.engine"


def check_installed() -> None:
    """LocalModelMissing: xllamacpp, which the server is made of, is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise LocalModelMissing("xllamacpp is not installed")


@asynccontextmanager
async def serve(
    model: Path, *, environment: Mapping[str, str], ready_seconds: float = 60.0
) -> AsyncGenerator[str]:
    """Run a server for the file ``model`` and give its base URL, the part before
    ``/chat/completions``; at the end of the block no process is left.

    ``environment`` is all that the server sees of ours: the caller leaves keys out. Enter it in a
    thread that lives as long as the block. Half a second until it is ready is usual; a cold disk
    and a busy machine take longer. LocalModelMissing: xllamacpp is not installed.
    LocalModelBroken: the server did not come up.
    """
    check_installed()
    theirs, ours = os.pipe()
    try:
        try:
            process = await _start(model, theirs, environment)
        finally:
            os.close(theirs)
        try:
            yield await _base_url(process, model, ready_seconds)
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
    finally:
        os.close(ours)


async def _start(model: Path, lifeline: int, environment: Mapping[str, str]) -> Process:
    # Without -P a folder that the run works in could put its own modules before ours.
    command = [sys.executable, "-P", "-m", _ENGINE, str(model), str(lifeline)]
    try:
        return await anyio.open_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**_PATIENT, **environment},
            pass_fds=(lifeline,),
            start_new_session=True,
        )
    except OSError as wrong:
        message = f"The local model's server cannot be started: {wrong}"
        raise LocalModelBroken(message) from None


async def _base_url(process: Process, model: Path, seconds: float) -> str:
    """Await the one line that the engine says."""
    assert process.stdout is not None
    line = b""
    with anyio.move_on_after(seconds) as wait, contextlib.suppress(anyio.EndOfStream):
        while not line.endswith(b"\n"):
            line += await process.stdout.receive()
        return line.decode().strip()
    if wait.cancelled_caught:
        message = f"The local model's server was not ready in {seconds:g} s."
        raise LocalModelBroken(message)
    code = await process.wait()
    message = f"The local model's server ended with {code} before it was ready; is {model} whole?"
    raise LocalModelBroken(message)


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    with anyio.move_on_after(_GRACE_SECONDS):
        await process.wait()
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    # Waits, and closes what is left of the pipe.
    await process.aclose()
