"""Thousands of runs by chance: whatever comes in whatever order, the laws hold and every run comes to an end.

The machine knows the pending jobs and answers them by chance, in any order, late, twice or not at all, while
the host writes sense and nonsense, signals come, and readers and answerers go.
"""

from __future__ import annotations

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support import chance
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
        received = waiting.pop(0) if waiting else chance.plain_finding(pending(run)[0])
        _, run = decide(run, at, received)
        if run.ended:
            return True
    return False


class AnyRun(RuleBasedStateMachine):
    """One run. Everything is taken through :meth:`take`, where a witness looks on."""

    @initialize(seed=st.integers(0, 2**64))
    def spawn(self, seed: int) -> None:
        self.random = random = Random(seed)
        answers = random.choice([Answers.FD, Answers.FD, *Answers])
        self.play = Play(answers=answers, chat=random.random() < 0.7)
        self.witness = Witness()
        self.witness.see(self.play.log[0])
        self.past: list[Finding] = []
        if random.random() < 0.9:
            self.take(loaded("go", chance.budget(random)))

    def take(self, received: Input, after: int = 1) -> None:
        self.play.take(received, after=after)
        for event in self.play.news:
            self.witness.see(event)

    # --- findings

    @rule()
    def one_job_is_done(self) -> None:
        if not self.play.jobs:
            return
        job = self.random.choice(self.play.jobs)
        finding = chance.finding(self.random, job)
        if isinstance(job, Review):
            granted = (job.name, job.digest) in self.witness.grants
            if isinstance(finding, Cleared) or (isinstance(finding, PutToPerson) and granted):
                self.witness.permitted.add(job.call)
        self.past.append(finding)
        self.take(finding, after=self.random.choice([0, 1, 1, 1, 30]))

    @rule()
    def many_jobs_are_done(self) -> None:
        for _ in range(self.random.randrange(2, 12)):
            self.one_job_is_done()
            self.nothing_is_stuck()

    @rule()
    def a_finding_comes_late(self) -> None:
        before = self.play.run
        for finding in (chance.foreign_finding(self.random), *self.past[-9:]):
            if finding.job not in self.play.keys:
                self.take(finding)
                assert self.play.news == []
                assert self.play.run == before

    # --- the host and the program

    @rule()
    def the_host_writes(self) -> None:
        for _ in range(self.random.randrange(1, 4)):
            before = self.play.run
            self.play.line += 1
            written = chance.command(self.random, [request.id for request in before.requests])
            self.take(HostLineRead(self.play.line, written))
            self.is_covered_once(before)

    def is_covered_once(self, before: Run) -> None:
        answers = [one for one in self.play.news if isinstance(one, Accepted | Refused)]
        assert [one.line for one in answers] == ([] if before.ended else [self.play.line])
        if any(isinstance(one, Refused) for one in answers):
            assert len(self.play.news) == 1
            assert self.play.jobs == pending(before), "a refused line changes something"

    @rule()
    def noise_comes(self) -> None:
        jobs, first = self.play.jobs, self.play.line + 1
        self.play.line += 3
        self.take(HostLineRefused(first, RefusalCode.MALFORMED, "no JSON"))
        self.take(HostLinesOverrun(first + 1, self.play.line))
        self.take(Remarked(self.random.choice([*sorted(notices.FOLDED), "slow_server"]), "Look."))
        self.take(DeltasDropped(3))
        assert self.play.jobs == jobs

    @rule()
    def something_rare_comes(self) -> None:
        if self.random.random() < 0.2:
            ends: list[Input] = [ChannelEnded("eof"), HostGone("hung up"), Failed(BROKEN)]
            signals = [Signalled(signal) for signal in (Signal.INTERRUPT, *Signal)]
            prompt = self.random.choice(["go", None])
            self.take(self.random.choice([*ends, *signals, loaded(prompt, chance.budget(self.random))]))

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


AnyRun.TestCase.settings = settings(max_examples=400, stateful_step_count=30, deadline=None)
test_T8_T9_T10_T18_T19_the_laws_hold_in_any_run = AnyRun.TestCase
