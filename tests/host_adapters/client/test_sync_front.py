"""The same child from a plain for loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from turnwire.hosts.client import ChildGone, Options, host_tool
from turnwire.hosts.client.sync import Run
from turnwire.protocol.commands import Answer, Steer
from turnwire.protocol.events import Answers, End, HumanRequest, Notice
from turnwire.protocol.people import Action

Fake = Callable[..., Options]

ASKS = "ask('h1'); notice(lines().readline().decode()); end()"


def accept(request: HumanRequest) -> Answer:
    assert threading.current_thread() is threading.main_thread()
    return Answer(id=request.id, action=Action.ACCEPT)


def test_a_run_is_a_plain_loop(fake: Fake) -> None:
    with Run(fake(ASKS), on_request=accept) as run:
        kinds = [type(event) for event in run]
    assert kinds == [HumanRequest, Notice, End]
    assert run.ending is not None
    assert run.ending.exit_code == 0


def test_waiting_answers_too(fake: Fake) -> None:
    with Run(fake(ASKS), on_request=accept) as run:
        ending = run.wait()
    assert (ending.exit_code, ending.fault_count) == (0, 0)


def test_nobody_is_asked_whose_answer_could_not_be_sent(fake: Fake) -> None:
    def ask(request: HumanRequest) -> Answer:
        raise AssertionError(request.id)

    with Run(fake("ask('h'); end()", answers=Answers.NONE), on_request=ask) as run:
        assert run.wait().exit_code == 0


def test_an_answer_by_call_in_the_loop(fake: Fake) -> None:
    with Run(fake(ASKS)) as run:
        for event in run:
            if isinstance(event, HumanRequest):
                assert run.send(Answer(id=event.id, action=Action.DECLINE)) == 1
    assert run.ending is not None
    assert run.ending.fault_count == 0


def test_a_loop_left_early_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    with Run(fake("hold(); signal.pause()")) as run:
        for _ in run:
            assert lifeline.is_held()
            break
    assert not lifeline.is_held()


def test_an_error_in_the_loop_leaves_nothing(fake: Fake, lifeline: Any) -> None:
    def fail() -> None:
        with Run(fake("hold(); signal.pause()")) as run:
            raise ValueError(next(iter(run)))

    with pytest.raises(ValueError, match="holding"):
        fail()
    assert not lifeline.is_held()


def test_a_gone_child_is_told_by_type(fake: Fake) -> None:
    with Run(fake("end()")) as run:
        run.wait()
        with pytest.raises(ChildGone):
            run.send(Steer(text="x"))


def test_a_host_tool_may_be_a_plain_function(fake: Fake) -> None:
    script = "call('c', 'look', {}); notice(lines().readline().decode()); end()"
    look = host_tool(lambda arguments, call: "seen", name="look")
    with Run(fake(script), tools=[look]) as run:
        [notice] = [event for event in run if isinstance(event, Notice)]
    assert '"content":"seen"' in notice.message


def test_closing_answers_is_a_deliberate_call(fake: Fake) -> None:
    with Run(fake("notice(repr(lines().read())); end()")) as run:
        run.close_answers()
        assert run.wait().exit_code == 0


def test_a_command_that_does_not_exist_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError), Run(Options(command=("/nowhere/turnwire",))):
        pass
