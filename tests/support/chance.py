"""Inputs of the core by chance: what may come of a job, and what hosts write.

Chance is a ``random.Random``, whose seed the caller chose: weights stand here, and a failing run can be
repeated. Likely things are listed more than once.
"""

from __future__ import annotations

from random import Random

from msgspec import UNSET, Raw
from support.play import call, fault, looked, tool_ended

from turnwire.protocol.commands import (
    Answer,
    Command,
    Interrupt,
    Rewind,
    Shutdown,
    Steer,
    ToolProgress,
    ToolResultLine,
)
from turnwire.protocol.content import Reasoning, Text
from turnwire.protocol.events import Budget, Completion
from turnwire.protocol.people import Action, ClosedBy, Scope
from turnwire.protocol.rows import DeniedBy
from turnwire.protocol.usage import Usage
from turnwire.runner.core.inputs import (
    Answered,
    Cleared,
    DeadlinePassed,
    Denied,
    Finding,
    ModelEnded,
    PutToPerson,
    ReaderCaughtUp,
    Rejected,
    Waited,
)
from turnwire.runner.core.jobs import (
    AskPerson,
    CallModel,
    CheckCompletion,
    Job,
    Review,
    RunTool,
    Wait,
    WatchDeadline,
)
from turnwire.runner.core.ports import Finish, ModelFault, ModelReply, ProposedCall, ToolEnd


def budget(chance: Random) -> Budget:
    """Mostly no limits, as they end turns early."""

    def maybe(*limits: float) -> float | None:
        return chance.choice(limits) if chance.random() < 0.1 else None

    return Budget(
        max_rounds=maybe(0, 1, 4),  # type: ignore[arg-type]
        max_tokens=maybe(0, 9, 30),  # type: ignore[arg-type]
        max_tool_calls=maybe(0, 1, 5),  # type: ignore[arg-type]
        max_seconds=maybe(0, 0.02, 0.2),
        max_identical_calls=maybe(1, 2, 3),  # type: ignore[arg-type]
    )


def gate(chance: Random) -> Completion | None:
    """Mostly none."""
    attempts = chance.choice([1, 2, 4])
    return Completion(kind="command", max_attempts=attempts) if chance.random() < 0.3 else None


# --- findings ---------------------------------------------------------------------------------------------


def finding(chance: Random, job: Job) -> Finding:
    """What may come of a job."""
    match job:
        case CallModel():
            likely = chance.random() < 0.85
            return ModelEnded(job.key, _reply(chance) if likely else _fault(chance))
        case Review():
            return _verdict(chance, job.call)
        case AskPerson():
            action, scope = chance.choice([None, *Action]), chance.choice([None, *Scope])
            return Answered(job.key, chance.choice([*ClosedBy]), action, scope)
        case RunTool():
            end = chance.choice([ToolEnd.DONE] * 6 + [*ToolEnd])
            return tool_ended(job.key, chance.choice(["ok", "no"]), end)
        case CheckCompletion():
            end = chance.choice([ToolEnd.DONE] * 6 + [*ToolEnd])
            return looked(job.key, passed=chance.random() < 0.4, end=end)
        case _:
            return plain_finding(job)


def plain_finding(job: Job) -> Finding:
    """What comes of a job where nothing unusual happens."""
    match job:
        case CallModel():
            return ModelEnded(job.key, ModelReply((Text(text="That is all."),), Finish.STOP))
        case Review():
            return Cleared(job.call)
        case AskPerson():
            return Answered(job.key, ClosedBy.HUMAN, Action.DECLINE)
        case RunTool():
            return tool_ended(job.key)
        case CheckCompletion():
            return looked(job.key)
        case Wait():
            return Waited(job.key)
        case WatchDeadline():
            return DeadlinePassed(job.key)
        case _:
            return ReaderCaughtUp()


def foreign_finding(chance: Random) -> Finding:
    """What came of a job that this run never had."""
    return chance.choice(
        [
            ModelEnded("t9.r9", fault()),
            ModelEnded("", fault()),
            Waited("t1.wait.0"),
            DeadlinePassed("t1.deadline.0"),
            Cleared("t9.c9"),
            Cleared(""),
            Answered("q99", ClosedBy.HUMAN, Action.ACCEPT),
            tool_ended("t9.c9"),
            looked("t9.k9"),
        ]
    )


def _reply(chance: Random) -> ModelReply:
    content = [_block(chance) for _ in range(chance.choice([0, 1, 1, 2, 3, 4]))]
    label = chance.choice([Finish.STOP] * 80 + [*Finish])
    return ModelReply(tuple(content), label, _usage(chance), chance.choice([None] * 9 + ["odd"]))


def _block(chance: Random) -> Text | Reasoning | ProposedCall:
    if chance.random() < 0.75:
        return call(
            chance.choice(["read", "write", "write", ""]),
            chance.choice(["{}", '{"p":"a"}', '{"p":"b"}']),
            invalid=chance.choice([None] * 9 + ["no JSON"]),
            provider_call_id=chance.choice([None, "call_0"]),
        )
    texts = [Text(text=text) for text in ("", " \n", "some text", "more text")]
    return chance.choice([*texts, Reasoning(text="hm")])


def _usage(chance: Random) -> Usage:
    counts = [chance.choice([None, 0, 1, 4]) for _ in range(3)]
    return Usage(input=counts[0], output=counts[1], total=counts[2])


def _fault(chance: Random) -> ModelFault:
    return fault(
        retryable=chance.random() < 0.8,
        wait_seconds=chance.choice([None, None, 0.0, 1.5, 9_000.0]),
        usage=_usage(chance),
        partial=chance.choice(["", " ", "half of it"]),
    )


def _verdict(chance: Random, identity: str) -> Finding:
    question = PutToPerson(identity, "Allow?", ("a line",), ("filesystem:write",))
    return chance.choice(
        [
            *[Cleared(identity)] * 4,
            *[question] * 6,
            Rejected(identity, "unknown_tool", "There is no such tool."),
            Rejected(identity, "unknown_tool", ""),
            Denied(identity, DeniedBy.GUARDRAIL, "denied: not on a Monday"),
        ]
    )


# --- host lines -------------------------------------------------------------------------------------------


def command(chance: Random, open_ids: list[str]) -> Command:
    """What a host may write, sense and nonsense; ``open_ids`` names open requests."""
    identity = chance.choice([*open_ids * 9, "q1", "q0", "q01", "q99", "q", "", "nope", "t1.c1"])
    turns = ["t1", "t2", "nope"]
    text = chance.choice(["", " ", "faster", "slower"])
    others: list[Command] = [
        *[Steer(text=text)] * 6,
        Interrupt(turn=chance.choice([UNSET, *turns])),
        Rewind(to=chance.choice([None, *turns])),
        ToolResultLine(id=identity, content=text),
        ToolProgress(id=identity, text=text),
    ]
    if chance.random() < 0.01:
        return Shutdown()
    return chance.choice(others) if chance.random() < 0.4 else answer(chance, identity)


def answer(chance: Random, identity: str) -> Answer:
    """An answer to ``identity``, most often one that fits."""
    contents = [UNSET, {}, {"message": " "}, {"message": 7}, {"allow": True}]
    return Answer(
        id=identity,
        action=chance.choice([Action.ACCEPT] * 6 + [*Action]),
        content=chance.choice([*[{"message": "next"}] * 9, *contents]),
        arguments=chance.choice([UNSET] * 9 + [Raw(b"{}")]),
        arguments_sha256=chance.choice([UNSET] * 9 + ["0" * 64]),
        scope=chance.choice([Scope.ONCE, Scope.ONCE, *Scope]),
        reason=chance.choice([UNSET, "", "too risky"]),
        stop=chance.random() < 0.04,
    )
