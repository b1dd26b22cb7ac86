"""Thousands of runs by chance: whatever comes in whatever order, the laws hold and every run comes to an end.

The machine knows the pending jobs and answers them by chance, in any order, late, twice or not at all, while
the host writes sense and nonsense, signals come, and readers and answerers go.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import chance
from support.laws import Witness
from support.play import Play

from turnwire.protocol.commands import Command
from turnwire.protocol.events import Accepted, Answers, Budget, Completion, RefusalCode, Refused
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
from turnwire.runner.core.jobs import AskPerson, Review
from turnwire.runner.core.machine import decide
from turnwire.runner.core.pending import pending
from turnwire.runner.core.state import Run

LONGEST_ENDING = 40
"""So many plain findings end a run, whatever state it is in: four calls, their reviews, a few requests."""

BROKEN = WireError(code="session_unwritable", message="The disk is full.", fault=Blame.HOST)


def loaded(prompt: str | None, budget: Budget, gate: Completion | None = None) -> Loaded:
    return Loaded(prompt=prompt, model="m", tools=(), completion=gate, budget=budget)


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


class AnyRun:
    """One run. Everything is taken through :meth:`take`, where a witness looks on."""

    def __init__(self, random: Random) -> None:
        self.random = random
        answers = random.choice([Answers.FD, Answers.FD, *Answers])
        self.play = Play(answers=answers, chat=random.random() < 0.7)
        self.witness = Witness()
        self.witness.see(self.play.log[0])
        self.past: list[Finding] = []
        self.offered: set[str] = set()
        if random.random() < 0.9:
            self.take(loaded("go", chance.budget(random), chance.gate(random)))
        self.what_always_holds()

    def move(self) -> None:
        """Let something happen, likely things more often, and look at what always holds."""
        moves = [
            *[self.one_job_is_done] * 12,
            *[self.the_host_answers] * 4,
            *[self.the_host_writes] * 2,
            self.a_finding_comes_late,
            self.noise_comes,
        ]
        rare = self.random.random() < 0.01
        (self.something_rare_comes if rare else self.random.choice(moves))()
        self.what_always_holds()

    def take(self, received: Input, after: int = 1) -> None:
        self.play.take(received, after=after)
        for event in self.play.news:
            self.witness.see(event)

    # --- findings

    def one_job_is_done(self) -> None:
        if not self.play.jobs:
            return
        job = self.random.choice(self.play.jobs)
        if isinstance(job, AskPerson) and self.random.random() < 0.9:
            self.the_host_answers()
            return
        finding = chance.finding(self.random, job)
        if isinstance(job, Review):
            granted = (job.name, job.digest) in self.witness.grants
            if isinstance(finding, Cleared) or (isinstance(finding, PutToPerson) and granted):
                self.witness.permitted.add(job.call)
        self.past.append(finding)
        self.take(finding, after=self.random.choice([0, 1, 1, 1, 30]))

    def a_finding_comes_late(self) -> None:
        before = self.play.run
        for finding in (chance.foreign_finding(self.random), *self.past[-9:]):
            if finding.job not in self.play.keys:
                self.take(finding)
                assert self.play.news == []
                assert self.play.run == before

    # --- the host and the program

    def the_host_answers(self) -> None:
        """Answer an open request, if there is one, most often sensibly."""
        if self.play.run.requests:
            self.write(chance.answer(self.random, self.random.choice(self.play.run.requests).id))

    def the_host_writes(self) -> None:
        requests = [request.id for request in self.play.run.requests]
        self.write(chance.command(self.random, requests))

    def write(self, command: Command) -> None:
        before = self.play.run
        self.play.line += 1
        self.take(HostLineRead(self.play.line, command))
        self.is_covered_once(before)

    def is_covered_once(self, before: Run) -> None:
        answers = [one for one in self.play.news if isinstance(one, Accepted | Refused)]
        assert [one.line for one in answers] == ([] if before.ended else [self.play.line])
        if any(isinstance(one, Refused) for one in answers):
            assert len(self.play.news) == 1
            assert self.play.jobs == pending(before), "a refused line changes something"

    def noise_comes(self) -> None:
        jobs, first = self.play.jobs, self.play.line + 1
        self.play.line += 3
        self.take(HostLineRefused(first, RefusalCode.MALFORMED, "no JSON"))
        self.take(HostLinesOverrun(first + 1, self.play.line))
        self.take(Remarked(self.random.choice([*sorted(notices.FOLDED), "slow_server"]), "Look."))
        self.take(DeltasDropped(3))
        assert self.play.jobs == jobs

    def something_rare_comes(self) -> None:
        ends: list[Input] = [ChannelEnded("eof"), HostGone("hung up"), Failed(BROKEN)]
        signals = [Signalled(signal) for signal in (Signal.INTERRUPT, *Signal)]
        prompt = self.random.choice(["go", None])
        self.take(self.random.choice([*ends, *signals, loaded(prompt, chance.budget(self.random))]))

    # --- always

    def what_always_holds(self) -> None:
        run, jobs = self.play.run, self.play.jobs
        assert len({job.key for job in jobs}) == len(jobs)
        if run.turn is not None and run.turn.stopping is not None:
            assert all(job.stop for job in jobs), "a stop leaves more than stops"
        stops = {job.key for job in jobs if job.stop}
        assert stops <= self.offered, "a job is stopped that was never to be begun"
        self.offered |= {job.key for job in jobs}
        if run.ended:
            assert jobs == []
        else:
            assert ends_of_itself(run, self.play.at), "the run is stuck"


@pytest.mark.timeout(300)
@settings(max_examples=2_000, deadline=None)
@given(seed=st.integers(0, 2**64), moves=st.integers(1, 150))
def test_T8_T9_T10_T18_T19_the_laws_hold_in_any_run(seed: int, moves: int) -> None:
    run = AnyRun(Random(seed))
    for _ in range(moves):
        run.move()
