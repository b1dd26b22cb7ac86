"""A child from its first line to its last: what is started, what is watched, and how it all ends.

The order of the end is fixed: ``end`` is told, the reader has it or is gone, the tools' processes and the
model are gone, the process leaves. Nothing that a tool left behind is waited for.
"""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable
from typing import NamedTuple

import anyio
from anyio.abc import TaskGroup

from turnwire.protocol.codec import decode_event
from turnwire.protocol.events import Hello
from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.runner.channel.answers import AnswersLane
from turnwire.runner.channel.descriptors import Descriptors
from turnwire.runner.channel.events import EventStream
from turnwire.runner.channel.signals import StopSignals
from turnwire.runner.channel.text import TextAnswer
from turnwire.runner.core.evolve import evolve
from turnwire.runner.core.inputs import Failed, HostGone, Remarked, Signal, Signalled
from turnwire.runner.core.jobs import AskPerson, CatchUp, Job, Wait, WatchDeadline
from turnwire.runner.core.ports import Model
from turnwire.runner.core.state import Run
from turnwire.runner.loop.clock import Clock
from turnwire.runner.loop.driver import Driver
from turnwire.runner.loop.flood import FloodGate
from turnwire.runner.loop.inbox import Inbox
from turnwire.runner.loop.journal import EventJournal
from turnwire.runner.loop.patience import Patience
from turnwire.runner.loop.timers import Timers
from turnwire.runner.loop.workers import Worker, Workers
from turnwire.runner.people.wire import WirePerson
from turnwire.runner.session.log import SessionInUse, SessionLog
from turnwire.runner.session.place import session_root
from turnwire.runner.settings import RunSettings
from turnwire.runner.tools.executors.groups import kill_all
from turnwire.runner.wiring.loading import CannotStart, load

__all__ = ["Started", "run_child"]

_LAST_LINE_SECONDS = 5.0
"""How long the last line of a run that broke waits for its reader."""
_CLOSING_SECONDS = 3.0
"""How long a model may take to let go of its connections and processes."""
_STDERR_SECONDS = 0.5
"""How long the last words on stderr may take."""


class Started(NamedTuple):
    """What stands when the first line is out. ``hello`` is that line; ``prompt_fd`` and ``answers_fd`` are
    private descriptors to read from, if any.
    """

    settings: RunSettings
    cwd: str
    descriptors: Descriptors
    signals: StopSignals
    prompt_fd: int | None
    answers_fd: int | None
    session: str
    hello: bytes


async def run_child(started: Started, leave: Callable[[int], None]) -> None:
    """Run to the end and ``leave`` with the exit code; does not come back."""
    child = _Child(started)
    try:
        async with anyio.create_task_group() as tasks:
            await child.live(tasks)
            await child.part()
            leave(child.exit_code)
    except Exception:  # noqa: BLE001 - whatever a worker raises is our bug and must still end in `end`
        traceback.print_exc()
        await child.break_off()
        leave(child.exit_code)


class _Child:
    """The objects of one run."""

    def __init__(self, started: Started) -> None:
        self._started = started
        settings = started.settings
        hello = decode_event(started.hello)
        assert isinstance(hello, Hello)
        self._inbox = Inbox()
        self._answer_bytes = hello.limits.answer_bytes
        self._private: str | None = None
        self._log, self._spill = self._open_session()
        self._sink = self._open_sink()
        self._patience = Patience(self._sink)
        self._journal = EventJournal(
            self._sink,
            self._log,
            line_bytes=settings.max_line_bytes,
            deltas=settings.deltas,
            soon=asyncio.get_running_loop().call_soon,
        )
        self._clock = Clock()
        self._driver = Driver(
            evolve(Run(chat=settings.chat), hello),
            self._inbox,
            journal=self._journal,
            gate=FloodGate(lambda: self._sink.unread),
            room=self._patience.room,
            now=self._clock.at,
        )
        self._hands: dict[type[Job], Worker] = {}
        self._model: Model | None = None

    @property
    def exit_code(self) -> int:
        """The exit code that ``end`` named, or that of a bug of ours."""
        code = self._driver.run.exit_code
        return 70 if code is None else code

    async def live(self, tasks: TaskGroup) -> None:
        """Start everything and drive the run until ``end`` is said."""
        timers = Timers(self._clock, self._patience.drained)
        self._hands |= {
            AskPerson: WirePerson(self._sink.drained).ask,
            Wait: timers.wait,
            WatchDeadline: timers.watch_deadline,
            CatchUp: timers.catch_up,
        }
        tasks.start_soon(self._sink.run, self._host_gone)
        self._listen()
        if self._started.answers_fd is not None:
            lane = AnswersLane(self._started.answers_fd, self._answer_bytes, self._inbox.put)
            tasks.start_soon(lane.run)
        tasks.start_soon(self._load)
        workers = Workers(tasks, self._inbox.put, self._hands, self._journal.told)
        await self._driver.drive(workers.match)

    async def part(self) -> None:
        """Let the reader have the last line, then end what is left of tools and model."""
        await self._patience.drained()
        self._sink.close()
        kill_all()
        if self._model is not None:
            with anyio.move_on_after(_CLOSING_SECONDS, shield=True):
                await self._model.aclose()
        if self._private is not None:
            # Loaded with mkdtemp.
            from shutil import rmtree  # noqa: PLC0415

            rmtree(self._private, ignore_errors=True)
        self._started.descriptors.drain_stderr(_STDERR_SECONDS)

    async def break_off(self) -> None:
        """End a run that broke: one ``end`` line, whatever else still works."""
        kill_all()
        message = "turnwire broke; the traceback is on stderr. Please report it."
        error = WireError(code=ErrorCode.INTERNAL, message=message, fault=Blame.OURS)
        self._driver.take(Failed(error=error))
        with anyio.move_on_after(_LAST_LINE_SECONDS):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._sink.run, self._host_gone)
                await self.part()
                tasks.cancel_scope.cancel()

    # --- starting

    def _open_session(self) -> tuple[SessionLog | None, str | None]:
        settings = self._started.settings
        if settings.no_session:
            # Long results still have to lie somewhere while the run lasts (B1); few runs pay for it.
            from tempfile import mkdtemp  # noqa: PLC0415

            self._private = mkdtemp(prefix="turnwire-")
            return None, self._private
        try:
            root = session_root(settings.session_dir)
            log = SessionLog.create(os.path.join(root, self._started.session))
            log.append(self._started.hello)
        except SessionInUse as error:
            self._fail(ErrorCode.SESSION_IN_USE, str(error))
        except OSError as error:
            message = f"The session cannot be written: {error.strerror or error}."
            self._fail(ErrorCode.SESSION_UNWRITABLE, message)
        else:
            return log, log.spill_folder
        return None, None

    def _open_sink(self) -> EventStream | TextAnswer:
        settings, events = self._started.settings, self._started.descriptors.events
        if settings.format == "text":
            return TextAnswer(events)
        return EventStream(
            events,
            line_limit=settings.max_line_bytes,
            stall_seconds=settings.host_stall_seconds,
            log=self._log,
        )

    async def _load(self) -> None:
        started = self._started
        try:
            loading = await load(
                started.settings,
                cwd=started.cwd,
                spill_folder=self._spill,
                stdin=started.prompt_fd,
                remark=self._remark,
            )
        except CannotStart as error:
            self._inbox.put(Failed(error=error.error))
            return
        self._hands |= loading.hands
        self._model = loading.model
        self._inbox.put(loading.loaded)
        for words in started.settings.passed_over:
            self._remark("setting_passed_over", words)

    def _remark(self, code: str, message: str) -> None:
        self._inbox.put(Remarked(code=code, message=message))

    def _fail(self, code: ErrorCode, message: str) -> None:
        self._inbox.put(Failed(error=WireError(code=code, message=message, fault=Blame.HOST)))

    # --- watching

    def _listen(self) -> None:
        wake = asyncio.get_running_loop().call_soon_threadsafe
        self._started.signals.hand_on(lambda: wake(self._take_signals))

    def _take_signals(self) -> None:
        for name in self._started.signals.take():
            self._inbox.put(Signalled(signal=Signal(name)))
            if name != Signal.INTERRUPT or not self._started.settings.chat:
                self._patience.lose()

    def _host_gone(self, reason: str) -> None:
        self._inbox.put(HostGone(reason=reason))
