"""Thousands of runs by chance: whatever comes in whatever order, the laws hold and every run comes to an end.

The machine knows the pending jobs and answers them by chance, in any order, late, twice or not at all, while
the host writes sense and nonsense, signals come, and readers and answerers go (T8, T9, T10, T18, T19).
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from support.chance import budgets, commands, findings, foreign_findings, plain_finding
from support.laws import Witness
from support.play import Play
from turnwire.protocol.events import Accepted, Answers, Budget, RefusalCode, Refused
from turnwire.protocol.faults import Blame, WireError
from turnwire.runner.core import notices
from turnwire.runner.core.inputs import (
    ChannelEnded,
    Cleared,
    DeltasDropped,
    Failed,
    Finding,
    HostGone,
    HostLineRead,
    HostLineRefused,
    HostLinesOverrun,
    Input,
    Loaded,
    PutToPerson,
    Remarked,
    Signal,
    Signalled,
)
from turnwire.runner.core.jobs import Review
from turnwire.runner.core.machine import decide
from turnwire.runner.core.pending import pending
from turnwire.runner.core.state import Run

LONGEST_ENDING = 40
"""So many plain findings end a run, whatever state it is in: four calls, their reviews, a few requests."""

BROKEN = WireError(code="session_unwritable", message="The disk is full.", fault=Blame.HOST)


def loaded(prompt: str | None, budget: Budget) -> Loaded:
    return Loaded(prompt=prompt, model="m", tools=(), budget=budget)


def ends_of_itself(run: Run, at: int) -> bool:
    """Say whether plain findings and the end of the answers lead to the end, in few steps."""
    waiting: list[Input] = [ChannelEnded("eof")]
    if not run.ready:
        waiting.append(loaded("go", Budget()))
    for _ in range(LONGEST_ENDING):
        at += 1
        received = waiting.pop(0) if waiting else plain_finding(pending(run)[0])
        _, run = decide(run, at, received)
        if run.ended:
            return True
    return False


class AnyRun(RuleBasedStateMachine):
    """One run. Everything is taken through :meth:`take`, where a witness looks on."""

    @initialize(answers=st.sampled_from(Answers), chat=st.booleans())
    def spawn(self, answers: Answers, chat: bool) -> None:
        self.play = Play(answers=answers, chat=chat)
        self.witness = Witness()
        self.witness.see(self.play.log[0])
        self.past: list[Finding] = []

    def take(self, received: Input, after: int = 1) -> None:
        self.play.take(received, after=after)
        for event in self.play.news:
            self.witness.see(event)

    # --- findings

    @precondition(lambda self: self.play.jobs)
    @rule(data=st.data(), after=st.sampled_from([0, 1, 1, 30]))
    def a_job_is_done(self, data: st.DataObject, after: int) -> None:
        job = data.draw(st.sampled_from(self.play.jobs))
        finding = data.draw(findings(job))
        if isinstance(job, Review):
            self.note_permission(job, finding)
        self.past.append(finding)
        self.take(finding, after)

    def note_permission(self, job: Review, finding: Finding) -> None:
        granted = (job.name, job.digest) in self.witness.grants
        if isinstance(finding, Cleared) or (isinstance(finding, PutToPerson) and granted):
            self.witness.permitted.add(job.call)

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def a_finding_comes_again(self, data: st.DataObject) -> None:
        late = data.draw(st.sampled_from(self.past))
        if late.job not in self.play.keys:
            self.changes_nothing(late)

    @rule(finding=foreign_findings)
    def a_finding_of_another_run_comes(self, finding: Finding) -> None:
        self.changes_nothing(finding)

    def changes_nothing(self, finding: Finding) -> None:
        before = self.play.run
        self.take(finding)
        assert self.play.news == []
        assert self.play.run == before

    # --- the host and the program

    @rule(prompt=st.sampled_from(["go", "go", None]), budget=budgets)
    def all_is_loaded(self, prompt: str | None, budget: Budget) -> None:
        self.take(loaded(prompt, budget))

    @rule(data=st.data())
    def the_host_writes(self, data: st.DataObject) -> None:
        ended, seq, before = self.play.run.ended, self.play.run.seq, self.play.run
        requests = [request.id for request in before.requests]
        self.play.line += 1
        self.take(HostLineRead(self.play.line, data.draw(commands(requests))))
        answers = [one for one in self.play.news if isinstance(one, Accepted | Refused)]
        assert [one.line for one in answers] == ([] if ended else [self.play.line])
        if any(isinstance(one, Refused) for one in answers):
            assert len(self.play.news) == 1
            assert self.play.run.seq == seq + 1
            assert self.play.jobs == pending(before), "a refused line changes something"

    @rule(many=st.booleans())
    def the_host_writes_garbage(self, many: bool) -> None:
        first = self.play.line + 1
        self.play.line += 5 if many else 1
        one = HostLineRefused(first, RefusalCode.MALFORMED, "no JSON")
        self.take(HostLinesOverrun(first, self.play.line) if many else one)

    @rule(code=st.sampled_from([*sorted(notices.FOLDED), "slow_server"]))
    def somebody_remarks(self, code: str) -> None:
        before = self.play.jobs
        self.take(Remarked(code, "Look."))
        self.take(DeltasDropped(3))
        assert self.play.jobs == before

    # --- rarer things, so that runs grow

    @precondition(lambda self: self.play.run.seq > 20)
    @rule(signal=st.sampled_from([*Signal, Signal.INTERRUPT]))
    def a_signal_comes(self, signal: Signal) -> None:
        self.take(Signalled(signal))

    @precondition(lambda self: self.play.run.seq > 30)
    @rule(what=st.sampled_from([ChannelEnded("eof"), HostGone("hung up"), Failed(BROKEN)]))
    def something_breaks(self, what: Input) -> None:
        self.take(what)

    # --- always

    @invariant()
    def jobs_are_told_apart(self) -> None:
        assert len(set(self.play.keys)) == len(self.play.keys)

    @invariant()
    def a_stop_leaves_only_stops(self) -> None:
        run = self.play.run
        if run.turn is not None and run.turn.stopping is not None:
            assert all(job.stop for job in self.play.jobs)
        if run.ended:
            assert self.play.jobs == []

    @invariant()
    def nothing_is_stuck(self) -> None:
        assert self.play.run.ended or ends_of_itself(self.play.run, self.play.at)


AnyRun.TestCase.settings = settings(max_examples=400, stateful_step_count=40, deadline=None)
test_T8_T9_T10_T18_T19_the_laws_hold_in_any_run = AnyRun.TestCase
