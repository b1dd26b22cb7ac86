"""Inputs of the core by chance: what may come of a job, and what hosts write."""

from __future__ import annotations

from hypothesis import strategies as st
from msgspec import UNSET, Raw
from support.play import call, fault, tool_ended
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
from turnwire.protocol.events import Budget
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
from turnwire.runner.core.jobs import AskPerson, CallModel, Job, Review, RunTool, Wait, WatchDeadline
from turnwire.runner.core.ports import Finish, ModelOutcome, ModelReply, ToolEnd

one_of = st.sampled_from
counts = one_of([None, 0, 1, 4])
usages = st.builds(Usage, input=counts, output=counts, total=counts)

budgets = st.builds(
    Budget,
    max_rounds=one_of([None, None, 0, 1, 4]),
    max_tokens=one_of([None, None, 0, 9]),
    max_tool_calls=one_of([None, None, 0, 2]),
    max_seconds=one_of([None, None, 0.0, 0.02]),
    max_identical_calls=one_of([None, 1, 2]),
)

proposals = st.builds(
    call,
    one_of(["read", "write", ""]),
    one_of(["{}", '{"p":"a"}']),
    invalid=one_of([None, None, None, "no JSON"]),
    provider_call_id=one_of([None, "call_0"]),
)
blocks = proposals | one_of([Text(text=text) for text in ("", " \n", "some text")] + [Reasoning(text="hm")])
replies = st.builds(
    ModelReply,
    st.lists(blocks, max_size=4).map(tuple),
    one_of([Finish.STOP] * 6 + list(Finish)),
    usages,
    one_of([None, None, "odd"]),
)
faults = st.builds(
    fault,
    retryable=st.booleans(),
    wait_seconds=one_of([None, 0.0, 1.5, 9_000.0]),
    usage=usages,
    partial=one_of(["", " ", "half of it"]),
)
outcomes: st.SearchStrategy[ModelOutcome] = replies | replies | faults


def verdicts(identity: str) -> st.SearchStrategy[Finding]:
    """What may come of the review of a call."""
    return one_of(
        [
            Cleared(identity),
            PutToPerson(identity, "Allow?", ("a line",), ("filesystem:write",)),
            Rejected(identity, "unknown_tool", "There is no such tool."),
            Rejected(identity, "unknown_tool", ""),
            Denied(identity, DeniedBy.GUARDRAIL, "denied: not on a Monday"),
        ]
    )


def findings(job: Job) -> st.SearchStrategy[Finding]:
    """What may come of a job."""
    match job:
        case CallModel():
            return st.builds(ModelEnded, st.just(job.key), outcomes)
        case Review():
            return verdicts(job.call)
        case AskPerson():
            actions, scopes = one_of([None, *Action]), one_of([None, *Scope])
            return st.builds(Answered, st.just(job.key), one_of(ClosedBy), actions, scopes)
        case RunTool():
            return st.builds(tool_ended, st.just(job.key), one_of(["ok", "no"]), one_of(ToolEnd))
        case Wait():
            return st.just(Waited(job.key))
        case WatchDeadline():
            return st.just(DeadlinePassed(job.key))
        case _:
            return st.just(ReaderCaughtUp())


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
        case Wait():
            return Waited(job.key)
        case WatchDeadline():
            return DeadlinePassed(job.key)
        case _:
            return ReaderCaughtUp()


foreign_findings: st.SearchStrategy[Finding] = one_of(
    [
        ModelEnded("t9.r9", fault()),
        ModelEnded("", fault()),
        Waited("t1.wait.0"),
        DeadlinePassed("t1.deadline.0"),
        Cleared("t9.c9"),
        Cleared(""),
        Answered("q99", ClosedBy.HUMAN, Action.ACCEPT),
        tool_ended("t9.c9"),
    ]
)

contents = one_of(
    [UNSET, {}, {"message": "next"}, {"message": " "}, {"message": 7}, {"allow": True}]
)
texts = one_of(["", " ", "faster"])


def commands(open_ids: list[str]) -> st.SearchStrategy[Command]:
    """What a host may write, sense and nonsense; ``open_ids`` names open requests."""
    ids = one_of([*(open_ids * 3), "q1", "q2", "q0", "q01", "q99", "q", "", "nope", "t1.c1"])
    answers = st.builds(
        Answer,
        id=ids,
        action=one_of([Action.ACCEPT, *Action]),
        content=contents,
        arguments=one_of([UNSET] * 4 + [Raw(b"{}")]),
        arguments_sha256=one_of([UNSET] * 4 + ["0" * 64]),
        scope=one_of(Scope),
        reason=one_of([UNSET, "", "too risky"]),
        stop=one_of([False, False, False, True]),
    )
    others = one_of([None, "t1", "t2", "nope"])
    return (
        answers
        | answers
        | st.builds(Steer, text=texts)
        | st.builds(Interrupt, turn=others.map(lambda turn: UNSET if turn is None else turn))
        | st.builds(Rewind, to=others)
        | st.builds(ToolResultLine, id=ids, content=texts)
        | st.builds(ToolProgress, id=ids, text=texts)
        | st.just(Shutdown())
    )


