"""What a host does of its own accord when a child asks: its callback for people and its table of
tools.

Owns the tasks that do it: each is cancelled when the child no longer waits for it. A callback that
raises is the host's own failure and leaves the context, which refuses everything; a tool that
raises is answered with its words, like any tool.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple, TypeGuard, cast

import anyio
import anyio.abc
import anyio.to_thread
import msgspec

from turnwire.hosts.client.ending import AnswersClosed, ChildGone
from turnwire.hosts.client.lane import AnswersLane
from turnwire.protocol.base import UNSET
from turnwire.protocol.codec import Unknown, encode_command
from turnwire.protocol.commands import Answer, Command, ToolProgress, ToolResultLine
from turnwire.protocol.content import Image, Text
from turnwire.protocol.events import (
    Event,
    Hello,
    HumanClosed,
    HumanRequest,
    Limits,
    ToolClosed,
    ToolRequest,
)
from turnwire.protocol.jsontext import compact_json, strict_json
from turnwire.protocol.text import well_formed

__all__ = ["HostCall", "HostTool", "OnRequest", "Serving", "bind", "host_tool"]

OnRequest = Callable[[HumanRequest], Awaitable[Answer | None]]
"""Asks a person. None: the answer comes by call, or not at all."""


class HostCall(NamedTuple):
    """One call of a host's tool: its ``id``, the seconds left for it (None: no limit) and a way to
    say how far it is, in words.
    """

    id: str
    seconds: float | None
    progress: Callable[[str], Awaitable[object]]


HostFunction = Callable[[dict[str, Any], HostCall], object]


class HostTool(NamedTuple):
    """A tool that lives in the host: what the model is told, and the function that does it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    function: HostFunction


def host_tool(
    function: HostFunction, *, name: str | None = None, input_schema: dict[str, Any] | None = None
) -> HostTool:
    """Make a tool of ``function(arguments, call)``, described by its docstring.

    It may be async; otherwise it runs in a worker thread, which nothing can stop. What it returns
    is the result: text as it is, a tuple of text and image blocks, or any JSON value. What it
    raises is told to the model as a failure of the tool.
    """
    description = inspect.getdoc(function) or ""
    schema = {"type": "object"} if input_schema is None else input_schema
    return HostTool(name or function.__name__, description, schema, function)


def bind(answer: Answer, request: HumanRequest) -> Answer:
    """Tie an answer to the arguments that were shown, so that no other ones can run on it."""
    if request.metadata is None or answer.arguments_sha256 is not UNSET:
        return answer
    return msgspec.structs.replace(answer, arguments_sha256=request.metadata.arguments_sha256)


class Serving:
    """Serves the requests of one child in tasks of ``group``."""

    def __init__(
        self,
        group: anyio.abc.TaskGroup,
        answers: AnswersLane,
        *,
        on_request: OnRequest | None,
        tools: Iterable[HostTool],
    ) -> None:
        self._group = group
        self._answers = answers
        self._on_request = on_request
        self._tools = {tool.name: tool for tool in tools}
        self._tasks: dict[str, anyio.CancelScope] = {}
        self._longest = Limits().answer_bytes

    def notice(self, event: Event | Unknown) -> None:
        """Start what ``event`` asks for, or stop what it says is no longer wanted.

        Nothing is started whose result could not be sent.
        """
        match event:
            case Hello():
                self._longest = event.limits.answer_bytes
            case HumanClosed() | ToolClosed():
                self._cancel(event.id)
            case _ if not self._answers.is_open:
                pass
            case HumanRequest(expects_response=True) if self._on_request is not None:
                self._start(event.id, self._ask, event)
            case ToolRequest() if self._tools:
                self._start(event.id, self._run_tool, event)
            case _:
                pass

    def cancel_all(self) -> None:
        """Stop everything: the child waits for nothing any more."""
        for scope in self._tasks.values():
            scope.cancel()

    def _start(
        self, key: str, serve: Callable[[Any], Awaitable[Command | None]], event: Event
    ) -> None:
        self._cancel(key)
        scope = self._tasks[key] = anyio.CancelScope()
        self._group.start_soon(self._serve, scope, serve, event)

    def _cancel(self, key: str) -> None:
        if scope := self._tasks.pop(key, None):
            scope.cancel()

    async def _serve(
        self,
        scope: anyio.CancelScope,
        serve: Callable[[Any], Awaitable[Command | None]],
        event: Event,
    ) -> None:
        # Its ending says that the child is gone; nobody is left to be told.
        with scope, contextlib.suppress(ChildGone, AnswersClosed):
            if (command := await serve(event)) is not None:
                await self._answers.send(command)

    async def _ask(self, request: HumanRequest) -> Answer | None:
        assert self._on_request is not None
        answer = await self._on_request(request)
        return None if answer is None else bind(answer, request)

    async def _run_tool(self, request: ToolRequest) -> ToolResultLine:
        tool = self._tools.get(request.name)
        if tool is None:
            names = ", ".join(sorted(self._tools))
            return _failure(request, f"the host has no tool {request.name!r}; it has {names}")
        call = HostCall(request.id, request.seconds, self._progress(request.id))
        try:
            result = await _call(tool.function, strict_json(bytes(request.arguments)), call)
            line = ToolResultLine(id=request.id, content=_content(result))
        except (ChildGone, AnswersClosed):
            raise
        except Exception as failure:  # noqa: BLE001 - whatever a tool raises is its result
            words = str(failure) or type(failure).__name__
            return _failure(request, f"{tool.name} failed: {words}")
        size = len(encode_command(line)) + 1
        if size > self._longest:
            # Sent all the same it would be refused, and the call would wait for its deadline.
            return _failure(request, f"{tool.name} failed: its result has {size:,} bytes, too many")
        return line

    def _progress(self, call: str) -> Callable[[str], Awaitable[object]]:
        return lambda text: self._answers.send(ToolProgress(id=call, text=well_formed(text)))


async def _call(function: HostFunction, arguments: dict[str, Any], call: HostCall) -> object:
    if inspect.iscoroutinefunction(function):
        return await cast("Awaitable[object]", function(arguments, call))
    # A thread of its own for each call: a slow tool holds up no other one.
    limiter = anyio.CapacityLimiter(math.inf)
    return await anyio.to_thread.run_sync(
        function, arguments, call, abandon_on_cancel=True, limiter=limiter
    )


def _content(result: object) -> str | tuple[Text | Image, ...]:
    if isinstance(result, str):
        return well_formed(result)
    if _are_blocks(result):
        return result
    return compact_json(result).decode()


def _are_blocks(result: object) -> TypeGuard[tuple[Text | Image, ...]]:
    return isinstance(result, tuple) and all(
        isinstance(block, Text | Image) for block in cast("tuple[object, ...]", result)
    )


def _failure(request: ToolRequest, message: str) -> ToolResultLine:
    return ToolResultLine(id=request.id, content=well_formed(message), is_error=True)
