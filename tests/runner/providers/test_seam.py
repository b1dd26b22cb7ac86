"""What every model does, whoever is behind it: the same lines given by the scripted model and, over
HTTP, by the chat completions adapter.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from support.model_script import replies_of
from support.model_server import ModelServer
from support.talk import (
    Listener,
    ask,
    assistant,
    calls_of,
    fault_of,
    openai,
    reply_of,
    result,
    said,
    shown,
    text_of,
    use,
)

from turnwire.protocol.content import Reasoning
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.rows import Port
from turnwire.protocol.usage import NOTHING_REPORTED
from turnwire.runner.core.ports import Finish, Model
from turnwire.runner.providers.scripted import ScriptedModel

Play = Callable[..., Model]


@pytest.fixture(params=["scripted", "openai"])
async def play(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Play]:
    """Give a model that says the lines that it is made with."""
    async with AsyncExitStack() as stack:

        def make(*lines: dict[str, Any]) -> Model:
            script = [json.dumps(line) for line in lines]
            if request.param == "openai":
                server = stack.enter_context(ModelServer(replies_of(script)))
                model: Model = openai(server.base_url)
            else:
                path = tmp_path / "script.jsonl"
                path.write_text("\n".join(script), encoding="utf-8")
                model = ScriptedModel("scripted:script.jsonl", path)
            stack.push_async_callback(model.aclose)
            return model

        yield make


async def test_S1_text_and_deltas_agree(play: Play) -> None:
    listener = Listener()
    outcome = await ask(play({"text": "Three colours: 🔴🟢🔵", "delta_chars": 3}), None, listener)
    assert text_of(outcome) == listener.text() == "Three colours: 🔴🟢🔵"
    assert reply_of(outcome).finish is Finish.STOP


async def test_S1_thoughts_have_a_port_of_their_own(play: Play) -> None:
    listener = Listener()
    outcome = await ask(play({"reasoning": "hm", "text": "ok"}), None, listener)
    assert reply_of(outcome).content[0] == Reasoning(text="hm")
    assert (listener.text(Port.REASONING), listener.text()) == ("hm", "ok")


async def test_T1_calls_come_with_their_arguments(play: Play) -> None:
    listener = Listener()
    calls = [{"name": "read", "arguments": {"p": "é🍸"}, "id": "x"}, {"name": "ls", "id": "x"}]
    outcome = await ask(play({"text": "see", "calls": calls, "delta_chars": 2}), None, listener)
    assert shown(outcome) == [("read", '{"p":"é🍸"}'.encode()), ("ls", b"{}")]
    assert [call.provider_call_id for call in calls_of(outcome)] == ["x", "x"]
    assert json.loads(listener.text(Port.ARGUMENTS, 0)) == {"p": "é🍸"}


@pytest.mark.parametrize("text", ['{"p":"a', '{"v":NaN}', r'{"re":"\d+"}', '"{hello world}"'])
async def test_A16_A17_bad_arguments_are_an_invalid_call(play: Play, text: str) -> None:
    lines = {"calls": [{"name": "a", "arguments_text": text}, {"name": "b"}]}
    bad, good = calls_of(await ask(play(lines)))
    assert (bad.arguments, bad.invalid is None) == (b"{}", False)
    assert good.invalid is None


async def test_A13_no_arguments_at_all_are_an_empty_object(play: Play) -> None:
    outcome = await ask(play({"calls": [{"name": "ls", "arguments_text": ""}]}))
    assert shown(outcome) == [("ls", b"{}")]


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", "refusal"])
async def test_T14_the_reason_of_the_end_is_told(play: Play, finish: str) -> None:
    outcome = await ask(play({"text": "I can't", "finish": finish}))
    assert reply_of(outcome).finish == finish
    assert text_of(outcome) == "I can't"


async def test_T14_a_call_without_arguments_in_a_cut_reply_is_invalid(play: Play) -> None:
    line = {"calls": [{"name": "write", "arguments_text": ""}], "finish": "length"}
    [call] = calls_of(await ask(play(line)))
    assert call.invalid is not None


async def test_S3_usage_is_told_or_unknown(play: Play) -> None:
    model = play({"text": "a", "usage": {"input": 3, "output": 1}}, {"text": "b"})
    told = reply_of(await ask(model)).usage
    assert (told.input, told.output, told.cached) == (3, 1, None)
    assert reply_of(await ask(model)).usage == NOTHING_REPORTED


@pytest.mark.parametrize("code", ["overloaded", "rate_limited", "server_error"])
async def test_a_fault_is_one_request_and_the_next_line_follows(play: Play, code: str) -> None:
    fault_line = {"fault": {"code": code, "message": "busy", "retryable": True}}
    model = play(fault_line, {"text": "ok"})
    fault = fault_of(await ask(model))
    assert (fault.error.code, fault.error.retryable) == (code, True)
    assert "busy" in fault.error.message
    assert text_of(await ask(model)) == "ok"


async def test_A61_a_fault_says_how_long_to_wait(play: Play) -> None:
    line = {"fault": {"code": "rate_limited", "message": "busy", "wait_seconds": 1.5}}
    assert fault_of(await ask(play(line))).wait_seconds == 1.5


async def test_A64_a_fault_keeps_the_text_before_it(play: Play) -> None:
    listener = Listener()
    line = {"text": "Hello wor", "fault": {"code": "server_error", "message": "gone"}}
    fault = fault_of(await ask(play(line), None, listener))
    assert fault.partial == listener.text() == "Hello wor"


async def test_T19_a_stopped_request_hands_over_its_text(play: Play) -> None:
    model, listener = play({"text": "half an", "hold": True}, {"text": "ok"}), Listener()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, model, None, listener)
        with anyio.fail_after(5):
            await listener.heard.wait()
        tasks.cancel_scope.cancel()
    assert [fault.partial for fault in listener.stopped] == ["half an"]
    assert text_of(await ask(model)) == "ok"


async def test_the_last_line_may_repeat_for_ever(play: Play) -> None:
    model = play({"text": "a"}, {"text": "b", "repeat": True})
    assert [text_of(await ask(model)) for _ in range(4)] == ["a", "b", "b", "b"]


async def test_any_history_may_be_replayed(play: Play) -> None:
    history = said("hi", assistant("look", use("c1")), result("c1", ""), system="Be brief.")
    assert text_of(await ask(play({"text": "ok"}), history)) == "ok"


async def test_T11_an_empty_line_is_an_empty_reply(play: Play) -> None:
    reply = reply_of(await ask(play({})))
    assert (reply.content, reply.finish) == ((), Finish.STOP)


async def test_unknown_errors_keep_their_code(play: Play) -> None:
    line = {"fault": {"code": "unauthorized", "message": "no"}}
    assert fault_of(await ask(play(line))).error.code == ErrorCode.UNAUTHORIZED
