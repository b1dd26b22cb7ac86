"""The client and the real child, with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from turnwire.hosts.client import Bounds, ChildGone, Options, connect
from turnwire.hosts.client.sync import Run
from turnwire.protocol.commands import Answer
from turnwire.protocol.endings import Status, StoppedBy
from turnwire.protocol.events import Accepted, Answers, Delta, Hello, Message, Refused
from turnwire.protocol.people import Action, HumanClosed, HumanRequest
from turnwire.protocol.view import View

Real = Callable[..., Options]

CALL = {"calls": [{"name": "write", "arguments": {"path": "a.txt", "content": "ä\u2028" * 30_000}}]}
DONE = {"text": "All is written.", "delta_chars": 3}
HOLD = {"text": "Let me think", "hold": True}


@pytest.fixture
def real(tmp_path: Path) -> Real:
    def make(*replies: object, **options: Any) -> Options:
        chosen: dict[str, Any] = {"prompt": "Write.", **options}
        script = tmp_path / "script.jsonl"
        script.write_text("\n".join(json.dumps(reply) for reply in replies))
        return Options(
            model=f"scripted:{script}",
            tools=("write",),
            flags=("--no-session", *chosen.pop("flags", ())),
            cwd=str(tmp_path),
            **chosen,
        )

    return make


async def accept(request: HumanRequest) -> Answer:
    return Answer(id=request.id, action=Action.ACCEPT)


@pytest.mark.parametrize("answers", [Answers.FD, Answers.STDIN])
async def test_P1_an_accepted_call_runs(real: Real, tmp_path: Path, answers: Answers) -> None:
    view = View()
    with anyio.fail_after(30):
        async with connect(real(CALL, DONE, answers=answers), on_request=accept) as child:
            async for event in child.events():
                view.apply(event)
            ending = await child.wait()
    assert (ending.status, ending.exit_code, ending.fault_count) == (Status.DONE, 0, 0)
    assert (tmp_path / "a.txt").read_text() == "ä\u2028" * 30_000
    assert view.end == ending.end
    assert (
        view.transcript()[0].messages[-1].message.content[0] == view.messages[-1].message.content[0]
    )


async def test_P6_with_nobody_to_answer_the_call_is_refused(real: Real, tmp_path: Path) -> None:
    with anyio.fail_after(30):
        async with connect(real(CALL, DONE, answers=Answers.NONE), on_request=accept) as child:
            ending = await child.wait()
    assert (ending.status, ending.exit_code, ending.fault_count) == (Status.DONE, 4, 0)
    assert not (tmp_path / "a.txt").exists()


async def test_B29_closing_answers_refuses_what_is_open(real: Real) -> None:
    closed: list[HumanClosed] = []
    with anyio.fail_after(30):
        async with connect(real(CALL, DONE)) as child:
            async for event in child.events():
                if isinstance(event, HumanRequest):
                    child.close_answers()
                if isinstance(event, HumanClosed):
                    closed.append(event)
            ending = await child.wait()
    assert [event.by for event in closed] == ["channel_lost"]
    assert (ending.exit_code, ending.fault_count) == (4, 0)


async def test_C14_each_line_is_accepted_or_refused_by_number(real: Real) -> None:
    told: dict[int, type] = {}
    with anyio.fail_after(30):
        async with connect(real(CALL, HOLD)) as child:
            async for event in child.events():
                if isinstance(event, HumanRequest):
                    assert await child.answer("nobody", Action.ACCEPT) == 1
                    assert await child.answer(event.id, Action.DECLINE) == 2
                    assert await child.answer(event.id, Action.ACCEPT) == 3
                if isinstance(event, Accepted | Refused):
                    assert isinstance(event.line, int)
                    told[event.line] = type(event)
                    if event.line == 3:
                        await child.interrupt()
    assert told == {1: Refused, 2: Accepted, 3: Refused, 4: Accepted}


async def test_T19_an_interrupted_run_ends_in_order(real: Real) -> None:
    with anyio.fail_after(30):
        async with connect(real(HOLD)) as child:
            async for event in child.events():
                if isinstance(event, Delta):
                    await child.interrupt()
                    break
            ending = await child.wait()
    assert (ending.status, ending.exit_code, ending.fault_count) == (Status.INTERRUPTED, 130, 0)


async def test_B20_a_stopped_child_tells_its_end(real: Real) -> None:
    with anyio.fail_after(30):
        async with connect(real(HOLD)) as child:
            async for event in child.events():
                if isinstance(event, Delta):
                    child.stop()
                    break
            ending = await child.wait()
    assert (ending.exit_code, ending.fault_count) == (143, 0)
    assert ending.end is not None
    assert ending.end.stopped_by is StoppedBy.TERMINATE


async def test_a_bad_flag_is_an_ending_and_no_exception(real: Real) -> None:
    with anyio.fail_after(30):
        async with connect(real(DONE, flags=("--no-such-flag",))) as child:
            events = [event async for event in child.events()]
            ending = await child.wait()
            with pytest.raises(ChildGone):
                await child.steer("x")
    assert isinstance(events[0], Hello)
    assert (ending.status, ending.exit_code, ending.fault_count) == (Status.ERROR, 2, 0)


async def test_without_deltas_nothing_settled_is_lost(real: Real) -> None:
    with anyio.fail_after(30):
        async with connect(real(DONE, deltas=False)) as child:
            events = [event async for event in child.events()]
    assert not [event for event in events if isinstance(event, Delta)]
    assert len([event for event in events if isinstance(event, Message)]) == 2


async def test_a_prompt_of_megabytes_arrives_whole(real: Real) -> None:
    prompt = "--help\n" + "péché " * 300_000
    with anyio.fail_after(30):
        async with connect(real(DONE, prompt=prompt)) as child:
            said = [event async for event in child.events() if isinstance(event, Message)]
    assert said[0].message.content[0].text == prompt  # type: ignore[union-attr]


async def test_silence_is_bounded_for_the_real_child(real: Real) -> None:
    bounds = Bounds(silence_seconds=2)
    with anyio.fail_after(30):
        async with connect(real(HOLD, bounds=bounds)) as child:
            ending = await child.wait()
    assert [fault.code for fault in ending.faults] == ["silent"]
    assert ending.exit_code == 143


def test_the_sync_front_runs_the_real_child(real: Real, tmp_path: Path) -> None:
    def ask(request: HumanRequest) -> Answer:
        return Answer(id=request.id, action=Action.ACCEPT)

    with Run(real(CALL, DONE), on_request=ask) as run:
        assert run.wait().exit_code == 0
    assert (tmp_path / "a.txt").exists()


async def test_a_module_in_the_working_folder_is_not_the_childs(real: Real, tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('hijacked')")
    with anyio.fail_after(30):
        async with connect(real(DONE)) as child:
            ending = await child.wait()
    assert ending.exit_code == 0
