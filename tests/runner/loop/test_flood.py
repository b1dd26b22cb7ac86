"""A host that floods and does not read: every line is still covered, and memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from support.play import Play, call

from turnwire.protocol.commands import Answer, Shutdown, Steer
from turnwire.protocol.events import Accepted, RefusalCode, Refused
from turnwire.protocol.people import Action
from turnwire.runner.core.inputs import (
    HostLineRead,
    HostLineRefused,
    HostLinesOverrun,
    Input,
    ReaderCaughtUp,
    Signal,
    Signalled,
)
from turnwire.runner.loop.flood import UNREAD_REFUSALS, FloodGate

RUN = Play(chat=True).load(None).run


def garbage(line: int) -> HostLineRefused:
    return HostLineRefused(line, RefusalCode.MALFORMED, "no JSON")


def out_of_place(line: int) -> HostLineRead:
    return HostLineRead(line, Steer(text="no turn is in progress"))


def unasked(line: int) -> HostLineRead:
    return HostLineRead(line, Answer(id="q9", action=Action.ACCEPT))


def gate(unread: int = UNREAD_REFUSALS) -> FloodGate:
    return FloodGate(lambda: unread)


def admitted(flood_gate: FloodGate, *received: Input) -> list[Input]:
    return [one for each in received for one in flood_gate.admit(RUN, each)]


def test_a_host_that_reads_is_told_of_each_refusal() -> None:
    lines = [garbage(1), out_of_place(2)]
    assert admitted(gate(UNREAD_REFUSALS - 1), *lines) == lines


def test_refusals_that_nobody_reads_become_one_range() -> None:
    flood_gate = gate()
    assert admitted(flood_gate, garbage(5), out_of_place(6), garbage(7)) == []
    taken = HostLineRead(8, Shutdown())
    assert admitted(flood_gate, taken) == [HostLinesOverrun(5, 7), taken]
    assert admitted(flood_gate, ReaderCaughtUp()) == [ReaderCaughtUp()]


def test_whatever_else_happens_closes_the_range() -> None:
    flood_gate = gate()
    admitted(flood_gate, garbage(1))
    signal = Signalled(Signal.TERMINATE)
    assert admitted(flood_gate, signal) == [HostLinesOverrun(1, 1), signal]


def test_a_host_that_reads_again_is_told_again() -> None:
    unread = UNREAD_REFUSALS
    flood_gate = FloodGate(lambda: unread)
    admitted(flood_gate, garbage(1), garbage(2))
    unread = 0
    assert admitted(flood_gate, garbage(3)) == [HostLinesOverrun(1, 2), garbage(3)]


def test_an_answer_is_taken_however_far_behind_the_host_is() -> None:
    run = Play().load().reply(call()).ask("t1.c1").run
    answer = HostLineRead(3, Answer(id="q1", action=Action.ACCEPT))
    assert gate().admit(run, answer) == [answer]


def covered(play: Play) -> Iterable[int]:
    for event in play.log:
        if isinstance(event, Accepted):
            yield event.line
        elif isinstance(event, Refused) and isinstance(event.lines, tuple):
            yield from range(event.lines[0], event.lines[1] + 1)
        elif isinstance(event, Refused):
            assert isinstance(event.line, int)
            yield event.line


@given(st.lists(st.tuples(st.sampled_from("gsq"), st.booleans()), max_size=40))
def test_every_line_of_any_flood_is_covered_once(lines: list[tuple[str, bool]]) -> None:
    play = Play(chat=True).load("go")
    unread = 0
    flood_gate = FloodGate(lambda: unread)
    kinds = {"g": garbage, "s": out_of_place, "q": unasked}
    inputs = [kinds[kind](line) for line, (kind, _) in enumerate(lines, start=1)]
    behind = [UNREAD_REFUSALS * is_behind for _, is_behind in lines]
    for received, unread in zip([*inputs, Signalled(Signal.TERMINATE)], [*behind, 0], strict=True):  # noqa: B007 - the gate reads it
        for one in flood_gate.admit(play.run, received):
            play.take(one)
    assert list(covered(play)) == list(range(1, len(lines) + 1))
