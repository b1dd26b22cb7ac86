"""The process that the embedded model lives in: ``python -m … engine MODEL LIFELINE``.

Owns llama.cpp's server and its settings; the only file that loads xllamacpp. Says one line, the base
URL, on stdout once the model is loaded; everything that the library prints goes to stderr. Ends when
the lifeline, a descriptor whose other end only the parent holds, comes to its end.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1

_SERVER: dict[str, object] = {
    # All that SmolLM2 was trained on; the memory of so long a conversation takes 180 MB.
    "n_ctx": 8192,
    "n_parallel": 1,
    # One conversation needs no second copy of its prompt.
    "cache_ram_mib": 0,
    # Fitting the model to graphics cards costs 0.3 s of the start, warming up as much.
    "fit_params": False,
    "warmup": False,
    # A long prompt is read for half a minute; a comment in the stream says that somebody is there.
    "sse_ping_interval": 5,
    "port": 0,
    "ui": False,
    "endpoint_slots": False,
    "verbosity": 0,
    "model_alias": {"local"},
    # A model this small may never find an end.
    "n_predict": 1024,
}

_SAMPLING: dict[str, object] = {
    # Its makers' figures are 0.2 and 0.9; with those alone it soon repeats itself for ever.
    "temp": 0.3,
    "top_p": 0.9,
    "penalty_repeat": 1.1,
    "penalty_last_n": 256,
}


def main(arguments: Sequence[str]) -> None:
    """Serve ``arguments`` (the model's file, the lifeline's number) until the parent is gone."""
    model, lifeline = arguments
    _follow_parent()
    said = os.dup(1)
    os.dup2(2, 1)
    server, base_url = _serve(model)
    os.write(said, f"{base_url}\n".encode())
    os.close(said)
    # Nobody ever writes: this returns when the last holder of the other end is gone.
    os.read(int(lifeline), 1)
    del server
    os._exit(0)


def _follow_parent() -> None:
    """Ask Linux for an end with the parent's: a process that it forked and left behind might hold
    the lifeline open.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _serve(model: str) -> tuple[object, str]:
    """Give the server, which lives as long as the object, and its base URL.

    The URL has a secret in it, so that no web page open on this machine can talk to the model.
    """
    library: Any = importlib.import_module("xllamacpp")
    secret = secrets.token_urlsafe(16)
    params = library.CommonParams()
    params.model.path = model
    params.api_prefix = f"/{secret}"
    for name, value in _SERVER.items():
        setattr(params, name, value)
    for name, value in _SAMPLING.items():
        setattr(params.sampling, name, value)
    server = library.Server(params)
    return server, f"{server.listening_address}/{secret}/v1"


if __name__ == "__main__":
    main(sys.argv[1:])
