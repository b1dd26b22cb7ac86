"""The client without ``async``: the same child from a plain ``for`` loop.

::

    with Run(Options(prompt="Name three colours."), on_request=ask) as run:
        for event in run:
            ...
    print(run.ending)

Owns the thread that an event loop runs in while a child lives. The callback for people runs in the
caller's own thread, when its request is taken, so it may simply call ``input``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

from turnwire.hosts.client.child import Child
from turnwire.hosts.client.connecting import connect
from turnwire.hosts.client.ending import ChildGone, Ending
from turnwire.hosts.client.mailbox import Closed
from turnwire.hosts.client.options import Options
from turnwire.hosts.client.serving import HostTool, bind
from turnwire.protocol.codec import Unknown
from turnwire.protocol.commands import Answer, Command
from turnwire.protocol.events import Event, HumanRequest

__all__ = ["Run"]


class Run:
    """One child, as a context and as an iterator of its events. Leaving the context ends the
    child.
    """

    def __init__(
        self,
        options: Options,
        *,
        on_request: Callable[[HumanRequest], Answer | None] | None = None,
        tools: Iterable[HostTool] = (),
        on_stderr: Callable[[str], None] | None = None,
    ) -> None:
        self._options = options
        self._on_request = on_request
        self._tools = tuple(tools)
        self._on_stderr = on_stderr
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._child: Child | None = None
        self.ending: Ending | None = None
        """How the child ended, once its events are exhausted."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            child = connect(self._options, tools=self._tools, on_stderr=self._on_stderr)
            self._child = stack.enter_context(self._portal.wrap_async_context_manager(child))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def child(self) -> Child:
        """The child, for what needs no waiting: ``pid``, ``stderr``, ``open_requests``."""
        assert self._child is not None, "a run is used as a context: with Run(options) as run"
        return self._child

    def __iter__(self) -> Iterator[Event | Unknown]:
        """Give the events to the end, asking ``on_request`` where a person is wanted."""
        while events := self._running.call(self._next_events):
            for event in events:
                self._answer(event)
                yield event
        self.ending = self._running.call(self.child.wait)

    def wait(self) -> Ending:
        """Go through the events that are left and give the ending."""
        for _ in self:
            pass
        assert self.ending is not None
        return self.ending

    def send(self, command: Command) -> int:
        """Write any line and give its number."""
        return self._running.call(self.child.send, command)

    def close_answers(self) -> None:
        """Say that nobody will ever answer again."""
        self._running.call(self.child.close_answers)

    def _answer(self, event: Event | Unknown) -> None:
        if not isinstance(event, HumanRequest) or not event.expects_response:
            return
        if self._on_request is None or not self.child.answerable:
            return
        if (answer := self._on_request(event)) is not None:
            # Its ending says that the child is gone; nobody is left to be told.
            with suppress(ChildGone):
                self.send(bind(answer, event))

    async def _next_events(self) -> list[Event | Unknown]:
        try:
            return await self.child.next_events()
        except Closed:
            return []

    @property
    def _running(self) -> BlockingPortal:
        assert self._portal is not None, "a run is used as a context: with Run(options) as run"
        return self._portal
