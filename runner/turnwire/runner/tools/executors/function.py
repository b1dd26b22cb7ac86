"""Any Python function as a tool.

Owns how a function is called: in place if it is asynchronous, in a worker thread if it is not, and
what becomes of it when it is stopped. Its schema is ``signatures``'s, its result's form
``values``'s.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, cast

import msgspec

from turnwire.protocol.content import Image, Text
from turnwire.runner.core.ports import Entitlement, ToolContext, ToolOutcome, ToolSchema
from turnwire.runner.tools.executors.relay import relayed
from turnwire.runner.tools.executors.signatures import Signature, read_signature
from turnwire.runner.tools.executors.stopping import wait_or_leave
from turnwire.runner.tools.executors.threads import Ended, start_in_thread
from turnwire.runner.tools.values import serialise

__all__ = ["FunctionTool", "function_tool"]

_ASYNC_GRACE_SECONDS = 2.0
"""How long a cancelled asynchronous function may take to tidy up: as long as a process after its
TERM.
"""

_THREAD_GRACE_SECONDS = 0.5
"""How long a function in a thread, which can ask its context whether it was cancelled, may take to
notice.
"""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every provider takes as a tool's name."""


class FunctionTool(msgspec.Struct, frozen=True):
    """A function as a tool; made by :func:`function_tool`."""

    schema: ToolSchema
    source: str
    reach: tuple[Entitlement, ...]
    requires_approval: bool | None
    function: Callable[..., Any]
    signature: Signature

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        """Call the function with ``arguments`` converted to its types. Raises what it raises."""
        if _is_async(self.function):
            return await self._run_in_place(arguments, context)
        return await self._run_in_thread(arguments, context)

    async def _run_in_place(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        positional, keywords = self.signature.bind(arguments, context)
        return await _finish(self.function(*positional, **keywords), context)

    async def _run_in_thread(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        cancelled = threading.Event()
        with relayed(context, cancelled.is_set) as threaded:
            positional, keywords = self.signature.bind(arguments, threaded)
            returned: list[Any] = []

            def outcome(ended: Ended) -> ToolOutcome:
                returned.append(ended.unpack())
                return _outcome(returned[0])

            said = await wait_or_leave(
                start_in_thread(functools.partial(self.function, *positional, **keywords)),
                context,
                stop=cancelled.set,
                grace_seconds=_THREAD_GRACE_SECONDS if self.signature.context else 0,
                outcome=outcome,
            )
        # A function may be asynchronous without saying so, as a decorated one is.
        return await _finish(returned[0], context) if inspect.iscoroutine(returned[0]) else said


def function_tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    reach: Sequence[Entitlement] = (),
    requires_approval: bool | None = None,
    source: str | None = None,
) -> FunctionTool:
    """Make a tool of ``function``: its schema comes from the signature and the docstring.

    A parameter annotated :class:`ToolContext`, or named ``context`` and not annotated, receives the
    context. ValueError, TypeError: the function's signature or name cannot be told to a model.
    """
    name = name or str(getattr(function, "__name__", type(function).__name__))
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a tool: letters, digits, _ and -, at most 64")
    signature = read_signature(function)
    return FunctionTool(
        schema=ToolSchema(
            name, description or signature.description or name, signature.input_schema
        ),
        source=source or f"py:{getattr(function, '__module__', '?')}:{name}",
        reach=tuple(reach),
        requires_approval=requires_approval,
        function=function,
        signature=signature,
    )


def _is_async(function: Callable[..., Any]) -> bool:
    written = vars(type(function)).get("__call__")
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(written)


async def _finish(coroutine: Coroutine[Any, Any, Any], context: ToolContext) -> ToolOutcome:
    """Run ``coroutine`` as a task of its own, so that one which ignores cancellation can be left
    behind.
    """
    task = asyncio.create_task(_ended(coroutine))
    return await wait_or_leave(
        task,
        context,
        stop=task.cancel,
        grace_seconds=_ASYNC_GRACE_SECONDS,
        outcome=lambda ended: _outcome(ended.unpack()),
    )


async def _ended(coroutine: Coroutine[Any, Any, Any]) -> Ended:
    try:
        return Ended(await coroutine)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - SystemExit would end the event loop
        return Ended(error=error)


def _outcome(returned: object) -> ToolOutcome:
    """What a function may return: an outcome or content blocks as they are, anything else as text."""
    match returned:
        case ToolOutcome():
            return returned
        case Text() | Image():
            return ToolOutcome((returned,))
        case list() | tuple():
            return _outcome_of_many(tuple(cast("Sequence[object]", returned)))
        case _:
            return ToolOutcome(serialise(returned))


def _outcome_of_many(returned: tuple[object, ...]) -> ToolOutcome:
    blocks = tuple(it for it in returned if isinstance(it, Text | Image))
    if blocks and len(blocks) == len(returned):
        return ToolOutcome(blocks)
    return ToolOutcome(serialise(returned))
