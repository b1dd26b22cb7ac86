"""A run driven through its core alone: given what was taken, when one more input comes, then events and jobs.

Every event also goes through the wire's encoding and is folded anew, so that each test shows in passing that
the state is the fold of what is logged.
"""

from __future__ import annotations

from typing import Any, TypeVar

from turnwire.protocol.codec import decode_event, encode_event
from turnwire.protocol.commands import Answer, Command
from turnwire.protocol.content import Reasoning, Text
from turnwire.protocol.events import (
    Answers,
    Approval,
    Budget,
    Completion,
    End,
    Hello,
    Limits,
    Message,
    OnUnanswered,
    Runner,
    Settled,
    TurnEnd,
)
from turnwire.protocol.faults import Blame, WireError
from turnwire.protocol.people import Action
from turnwire.protocol.rows import Row
from turnwire.protocol.usage import NOTHING_REPORTED, Usage
from turnwire.runner.core.evolve import evolve
from turnwire.runner.core.inputs import (
    Cleared,
    CompletionVerdict,
    Denied,
    HostLineRead,
    Input,
    Loaded,
    ModelEnded,
    PutToPerson,
    ReaderCaughtUp,
    Rejected,
    ToolEnded,
    Waited,
)
from turnwire.runner.core.jobs import Job
from turnwire.runner.core.machine import decide
from turnwire.runner.core.pending import pending
from turnwire.runner.core.ports import Finish, ModelFault, ModelReply, ProposedCall, ToolEnd
from turnwire.runner.core.state import Run

Event = TypeVar("Event", bound=Settled)

SECOND = 1_000
"""The core counts milliseconds."""


def hello(seq: int = 1, *, answers: Answers = Answers.FD, resumed: bool = False) -> Hello:
    return Hello(
        seq=seq,
        at=0,
        protocol="1.0",
        schema_sha256="",
        runner=Runner(name="turnwire", version="0", pid=1),
        session="s",
        resumed=resumed,
        answers=answers,
        on_unanswered=OnUnanswered.DENY,
        approval=Approval.ASK,
        limits=Limits(),
        cwd="/",
    )


def call(name: str = "read", arguments: str = "{}", **more: Any) -> ProposedCall:
    return ProposedCall(name, arguments.encode(), **more)


def fault(code: str = "overloaded", **more: Any) -> ModelFault:
    retryable = more.pop("retryable", True)
    error = WireError(code=code, message="No luck.", fault=Blame.PROVIDER, retryable=retryable)
    return ModelFault(error, **more)


def tool_ended(identity: str, text: str = "ok", end: ToolEnd = ToolEnd.DONE) -> ToolEnded:
    return ToolEnded(
        call=identity,
        content=(Text(text=text),),
        is_error=end is not ToolEnd.DONE,
        end=end,
        chars=len(text),
        truncated=False,
        preview=text,
    )


def looked(
    identity: str, text: str = "1 failed", *, passed: bool = True, end: ToolEnd = ToolEnd.DONE
) -> CompletionVerdict:
    return CompletionVerdict(
        row=identity,
        passed=passed and end is ToolEnd.DONE,
        reason=text,
        end=end,
        chars=len(text),
        truncated=False,
        preview=text,
    )


class Play:
    """One run. ``log`` is all that it said, ``news`` what it said last."""

    def __init__(self, *, answers: Answers = Answers.FD, chat: bool = False) -> None:
        self.at = 0
        self.log: list[Settled] = [hello(answers=answers)]
        self.news: list[Settled] = []
        self.run = self.mirror = evolve(Run(chat=chat), self.log[0])
        self.line = 0

    # --- when

    def take(self, received: Input, *, after: int = 1) -> Play:
        """Decide on ``received``, ``after`` milliseconds later."""
        self.at += after
        self.news, self.run = decide(self.run, self.at, received)
        self.log.extend(self.news)
        for event in self.news:
            told = decode_event(encode_event(event))
            assert isinstance(told, Settled)
            self.mirror = evolve(self.mirror, told)
        assert self.mirror == self.run
        return self

    def load(self, prompt: str | None = "go", *, attempts: int = 0, **budget: Any) -> Play:
        """Load all, with a completion gate if it has ``attempts``."""
        gate = Completion(kind="command", max_attempts=attempts) if attempts else None
        limits = Budget(**budget)
        return self.take(Loaded(prompt=prompt, model="m", tools=(), completion=gate, budget=limits))

    def reply(
        self,
        *content: str | ProposedCall | Reasoning,
        finish: Finish = Finish.STOP,
        usage: Usage = NOTHING_REPORTED,
    ) -> Play:
        """End the open round with a whole reply; a string is a text block."""
        blocks = tuple(Text(text=one) if isinstance(one, str) else one for one in content)
        return self.take(ModelEnded(self.round, ModelReply(blocks, finish, usage)))

    def fail(self, outcome: ModelFault) -> Play:
        """End the open round with a fault."""
        return self.take(ModelEnded(self.round, outcome))

    def wait(self) -> Play:
        """Let the wait before the next try come to its end."""
        return self.take(Waited(next(key for key in self.keys if ".wait." in key)))

    def clear(self, *calls: str) -> Play:
        for one in calls:
            self.take(Cleared(one))
        return self

    def ask(self, *calls: str) -> Play:
        for one in calls:
            self.take(PutToPerson(one, f"Allow {one}?", ("a line",), ("filesystem:write",)))
        return self

    def reject(self, one: str, text: str = "There is no such tool.") -> Play:
        return self.take(Rejected(one, "unknown_tool", text))

    def deny(self, verdict: Denied) -> Play:
        return self.take(verdict)

    def ran(self, *calls: str, text: str = "ok") -> Play:
        for one in calls:
            self.take(tool_ended(one, text))
        return self

    def say(self, command: Command) -> Play:
        """Let the host write a line."""
        self.line += 1
        return self.take(HostLineRead(self.line, command))

    def answer(self, request: str, action: Action = Action.ACCEPT, **more: Any) -> Play:
        return self.say(Answer(id=request, action=action, **more))

    def chat(self, text: str) -> Play:
        """Answer the question for the next chat message."""
        return self.answer(self.run.requests[0].id, content={"message": text})

    def finish(self) -> End:
        """Let the reader have everything, and give the last line."""
        self.take(ReaderCaughtUp())
        return self.last(End)

    # --- then

    @property
    def round(self) -> str:
        """The row of the open model request."""
        assert self.run.turn is not None
        assert self.run.turn.round is not None
        return self.run.turn.round

    @property
    def jobs(self) -> list[Job]:
        return pending(self.run)

    @property
    def keys(self) -> list[str]:
        return [job.key for job in self.jobs]

    def all(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.log if isinstance(event, kind)]

    def last(self, kind: type[Event]) -> Event:
        return self.all(kind)[-1]

    @property
    def turn_end(self) -> TurnEnd:
        return self.last(TurnEnd)

    @property
    def roles(self) -> str:
        """The roles of the transcript by their first letters."""
        return "".join(message.role[0] for message in self.run.messages)

    def statuses(self, row: str) -> list[str]:
        """Every status that ``row`` had."""
        return [str(event.status) for event in self.all(Row) if event.id == row]

    def results(self) -> list[tuple[str, str]]:
        """Each result in the transcript: its call, and its text."""
        results = (m.content[0] for m in self.run.messages if m.role == "tool")
        return [(one.tool_use_id, one.content[0].text) for one in results]  # type: ignore[union-attr]

    def told(self) -> list[str]:
        """The types of the newest events."""
        return [str(event.__struct_config__.tag) for event in self.news]

    def messages_told(self) -> list[Message]:
        return self.all(Message)
