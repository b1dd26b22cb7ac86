"""The one way to a child: a context that starts it and ends it.

Owns the order in which everything stops, also when the host's own code raises or is cancelled.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager

import anyio

from turnwire.hosts.client.child import Child
from turnwire.hosts.client.lane import AnswersLane
from turnwire.hosts.client.life import Life
from turnwire.hosts.client.options import Options
from turnwire.hosts.client.process import spawn
from turnwire.hosts.client.serving import HostTool, OnRequest, Serving
from turnwire.hosts.client.stderr import StderrDrain

__all__ = ["connect"]


@asynccontextmanager
async def connect(
    options: Options,
    *,
    on_request: OnRequest | None = None,
    tools: Iterable[HostTool] = (),
    on_stderr: Callable[[str], None] | None = None,
) -> AsyncGenerator[Child, None]:
    """Start a child; when the context is left, end it and everything in its process group.

    ``on_request`` asks a person; it is cancelled when the request is closed otherwise. ``tools``
    are served for the child. ``on_stderr`` is told what the child writes for people. OSError: the
    command could not be executed. An error of the host's own code or callback comes out as it is.
    """
    alone: BaseExceptionGroup[BaseException] | None = None
    try:
        async with anyio.create_task_group() as group:
            process = spawn(options)
            bounds = options.bounds
            stderr = StderrDrain(process.stderr, bounds.stderr_bytes, on_stderr)
            answers = AnswersLane(process, bounds.waiting_bytes)
            life = Life(process, answers=answers, stderr=stderr, bounds=bounds)
            serving = Serving(group, answers, on_request=on_request, tools=tools)
            try:
                group.start_soon(life.run)
                group.start_soon(stderr.watch_listener)
                yield Child(process.pid, life=life, answers=answers, stderr=stderr, serving=serving)
            finally:
                group.cancel_scope.cancel()
                life.leave()
                await _until_over(life)
            stderr.check_listener()
    except BaseExceptionGroup as failures:
        if len(failures.exceptions) > 1:
            raise
        alone = failures
    if alone is not None:
        # Outside the handler, so that the error keeps the context and the cause that it came with.
        raise alone.exceptions[0]


async def _until_over(life: Life) -> None:
    """Wait in a shield: every wait of a life is bounded, and none may be cut short."""
    with anyio.CancelScope(shield=True):
        await life.over.wait()
