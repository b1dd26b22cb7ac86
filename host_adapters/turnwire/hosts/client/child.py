"""A running child as a host sees it: events out, lines in, an ending.

Owns the public face alone; ``life`` keeps the process, ``lane`` the lines, ``serving`` the
callbacks.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from turnwire.hosts.client.ending import Ending
from turnwire.hosts.client.lane import AnswersLane
from turnwire.hosts.client.life import Life
from turnwire.hosts.client.mailbox import Closed
from turnwire.hosts.client.serving import Serving, bind
from turnwire.hosts.client.stderr import StderrDrain
from turnwire.protocol.base import UNSET
from turnwire.protocol.codec import Unknown
from turnwire.protocol.commands import (
    Answer,
    Command,
    Interrupt,
    Rewind,
    Shutdown,
    Steer,
    ToolResultLine,
)
from turnwire.protocol.content import Image, Text
from turnwire.protocol.events import Event, HumanClosed, HumanRequest
from turnwire.protocol.people import Action, Scope

__all__ = ["Child", "Events"]

_BATCH = 256
"""Few enough for the first event of a batch not to wait long for the last one."""


class Events:
    """The events of a child, in order, as an async iterator; see :meth:`Child.events`."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event | Unknown:
        try:
            return await self._child.next_event()
        except Closed:
            raise StopAsyncIteration from None


class Child:
    """A child process that speaks turnwire. Made by :func:`turnwire.hosts.client.connect`.

    Each method that writes a line gives its number, from 1: ``accepted.line`` or ``refused.line``
    says what became of it. They raise ``ChildGone`` if the child takes no more lines,
    ``AnswersClosed`` if the host has no answers descriptor (any more), and never wait for a child
    that does not read, until ``Bounds.waiting_bytes`` of lines are under way.
    """

    def __init__(
        self, pid: int, *, life: Life, answers: AnswersLane, stderr: StderrDrain, serving: Serving
    ) -> None:
        self.pid = pid
        """The process's number, which is its group's and its session's too."""
        self._life = life
        self._answers = answers
        self._stderr = stderr
        self._serving = serving
        self._open: dict[str, HumanRequest] = {}
        self._iterating: weakref.ref[Events] | None = None

    # --- what the child says ---------------------------------------------------------------------

    def events(self) -> Events:
        """Give the events that nobody has taken yet, to the end of the child's stdout.

        Long events arrive whole; events of a later protocol as ``Unknown``. A request is put to
        the callback, and a host tool is called, when its event is taken. If nobody takes events
        the child waits once ``Bounds.waiting_bytes`` of them have come.
        """
        events = Events(self)
        self._iterating = weakref.ref(events)
        return events

    async def next_event(self) -> Event | Unknown:
        """Take the next event. Closed: there is none left."""
        try:
            event = await self._life.events.take()
        except Closed:
            self._iterating = None
            self._open.clear()
            self._serving.cancel_all()
            raise
        self._note(event)
        self._serving.notice(event)
        return event

    async def next_events(self) -> list[Event | Unknown]:
        """Take all the events that have come, at least one. Closed: there is none left."""
        events = [await self.next_event()]
        while len(self._life.events) and len(events) < _BATCH:
            events.append(await self.next_event())
        return events

    def _note(self, event: Event | Unknown) -> None:
        match event:
            case HumanRequest(expects_response=True):
                self._open[event.id] = event
            case HumanClosed():
                self._open.pop(event.id, None)
            case _:
                pass

    @property
    def open_requests(self) -> Mapping[str, HumanRequest]:
        """The requests, by id, that were taken and wait for a person."""
        return self._open

    @property
    def answerable(self) -> bool:
        """Whether the child still takes lines, as far as anyone knows."""
        return self._answers.is_open

    @property
    def stderr(self) -> str:
        """The end of what the child has written for people so far."""
        return self._stderr.text

    async def wait(self) -> Ending:
        """Wait until the child is gone and reaped. Events are served and thrown away meanwhile,
        unless an iterator of :meth:`events` still lives somewhere, which then has to take them.
        """
        if self._iterating is None or self._iterating() is None:
            async for _ in self.events():
                pass
        await self._life.over.wait()
        assert self._life.ending is not None
        return self._life.ending

    # --- what the host says ----------------------------------------------------------------------

    async def send(self, command: Command) -> int:
        """Write any line."""
        return await self._answers.send(command)

    async def answer(
        self,
        request_id: str,
        action: Action,
        *,
        content: Mapping[str, Any] | None = None,
        scope: Scope = Scope.ONCE,
        reason: str | None = None,
    ) -> int:
        """Answer a request. The answer is bound to the arguments that the request showed."""
        answer = Answer(
            id=request_id,
            action=action,
            content=UNSET if content is None else dict(content),
            scope=scope,
            reason=UNSET if reason is None else reason,
        )
        request = self._open.get(request_id)
        return await self.send(answer if request is None else bind(answer, request))

    async def steer(self, text: str) -> int:
        """Say one more thing to the turn in progress."""
        return await self.send(Steer(text=text))

    async def interrupt(self, turn: str | None = None) -> int:
        """Stop ``turn``, or the one in progress; the session lives."""
        return await self.send(Interrupt(turn=UNSET if turn is None else turn))

    async def rewind(self, to: str | None) -> int:
        """Between turns: keep turn ``to``, forget what came after it; None forgets everything."""
        return await self.send(Rewind(to=to))

    async def shutdown(self) -> int:
        """Let the present turn finish and start no further one."""
        return await self.send(Shutdown())

    async def tool_result(
        self, call_id: str, content: str | tuple[Text | Image, ...], *, is_error: bool = False
    ) -> int:
        """Give the result of a host tool that is not in the table."""
        return await self.send(ToolResultLine(id=call_id, content=content, is_error=is_error))

    def close_answers(self) -> None:
        """Say that nobody will ever answer again: what is open is refused, and so is what comes.
        Lines that were sent before still arrive.
        """
        self._answers.close()

    def stop(self) -> None:
        """Ask the process to end (SIGTERM to its group) and kill it after
        ``Bounds.grace_seconds``. Its last events still come.
        """
        self._life.stop()
