"""The chat completions adapter against a real server: what goes out, what comes in, how it stops."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import AsyncIterator

import anyio
import anyio.to_thread
import pytest
from support import strict_provider
from support.answers import answered, asked
from support.model_server import ModelServer
from support.model_steps import (
    DONE,
    SSE,
    Await,
    Drip,
    Hang,
    Reply,
    Signal,
    error,
    fin,
    tc,
    txt,
    usage,
)
from support.talk import (
    KEY,
    READ,
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
    user,
)

from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.rows import Port
from turnwire.runner.providers.errors import BadKey

PING = b": ping\n\n"
ENDED = (fin("stop"), DONE)


# --- the request ------------------------------------------------------------------------------------


async def test_a_request_goes_to_the_right_place_with_the_key() -> None:
    with ModelServer() as server:
        model = openai(server.base_url)
        assert text_of(await ask(model, said("hi", tools=[READ]))) == "ok"
        await model.aclose()
    [request] = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.json["messages"] == [{"role": "user", "content": "hi"}]


async def test_without_a_key_no_authorization_is_sent() -> None:
    with ModelServer([error(401, {"message": "who are you"})]) as server:
        model = openai(server.base_url, key=None)
        fault = fault_of(await ask(model))
        await model.aclose()
    assert "authorization" not in server.requests[0].headers
    assert fault.error.code == ErrorCode.UNAUTHORIZED
    assert "--api-key-env" in fault.error.message


@pytest.mark.parametrize("key", ["sk-a\n", "sk-a b", "sk-ä", "sk-\x00"])
def test_a_key_that_no_header_can_hold_is_refused(key: str) -> None:
    with pytest.raises(BadKey) as refused:
        openai("http://127.0.0.1:1", key=key)
    assert key not in refused.value.message


async def test_A07_A08_a_strict_server_takes_the_whole_conversation() -> None:
    calls = tc(0, "x", "read", '{"p":"a"}'), tc(1, "x", "read", '{"p":"b"}')
    with ModelServer([Reply([*calls, *ENDED])], check=strict_provider.fault_of) as server:
        model = openai(server.base_url)
        first, second = calls_of(await ask(model, said("hi")))
        message = assistant(use("t1.c1", first.arguments), use("t1.c2", second.arguments))
        history = said("hi", message, result("t1.c1", "A"), result("t1.c2", ""))
        assert text_of(await ask(model, history)) == "ok"
        await model.aclose()
    told = server.requests[1].json["messages"]
    assert [message.get("tool_call_id") for message in told[2:]] == ["t1.c1", "t1.c2"]


# --- the answer -------------------------------------------------------------------------------------


async def test_T1_text_and_a_call_come_as_produced() -> None:
    listener = Listener()
    steps = [txt("Let me "), txt("look."), tc(0, "c1", "read", '{"p":'), tc(0, None, None, '"a"}')]
    counts = usage(prompt_tokens=3, completion_tokens=1)
    outcome = await asked(*steps, fin("tool_calls"), counts, DONE, listener=listener)
    assert shown(outcome) == [("read", b'{"p":"a"}')]
    assert listener.text() == text_of(outcome) == "Let me look."
    assert listener.text(Port.ARGUMENTS, 0) == '{"p":"a"}'
    assert reply_of(outcome).usage.input == 3


async def test_S1_a_delta_is_told_before_the_next_one_comes() -> None:
    listener, go_on = Listener(), threading.Event()
    with ModelServer([Reply([txt("first"), Await(go_on), txt(" second"), *ENDED])]) as server:
        model = openai(server.base_url)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, model, None, listener)
            with anyio.fail_after(5):
                await listener.heard.wait()
            assert listener.text() == "first"
            go_on.set()
        await model.aclose()
    assert listener.text() == "first second"


async def test_A40_one_byte_a_packet_gives_exact_text() -> None:
    text, arguments = "北京 🌍 é", '{"p":"北京 🌍 é"}'
    stream = txt(text) + tc(0, "c", "read", arguments) + b"".join(ENDED)
    outcome = await asked(Drip(stream))
    assert text_of(outcome) == text
    assert shown(outcome) == [("read", arguments.encode())]


async def test_A40_an_end_inside_a_character_is_a_fault() -> None:
    fault = fault_of(await asked(txt("ok"), txt("北京")[:-9]))
    assert (fault.error.code, fault.partial) == (ErrorCode.BAD_STREAM, "ok")


async def test_A37_comments_between_everything_change_nothing() -> None:
    steps = [b": OPENROUTER PROCESSING\n\n", b":\n", b": a=b\n" + txt("ok"), PING, *ENDED]
    assert text_of(await asked(*steps)) == "ok"
    assert text_of(await asked(Drip(b"".join(steps)))) == "ok"


async def test_A38_the_habit_of_a_gateway_is_noted_once() -> None:
    listener, wrapped = Listener(), b"data: : OPENROUTER PROCESSING\n\n"
    with ModelServer([Reply([wrapped, txt("ok"), wrapped, *ENDED])] * 2) as server:
        model = openai(server.base_url)
        for _ in range(2):
            assert text_of(await ask(model, listener=listener)) == "ok"
        await model.aclose()
    assert [code for code, _ in listener.notices] == ["provider_habit"]


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream"])
async def test_a_server_that_does_not_stream_is_understood(content_type: str) -> None:
    function = {"name": "read", "arguments": '{"p":"a"}'}
    message = {"content": "ok", "tool_calls": [{"id": "x", "function": function}] * 2}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }
    content = b"\n " + json.dumps(body, indent=1).encode()
    outcome = await answered(
        Reply([content[:40], content[40:]], headers={"content-type": content_type})
    )
    assert text_of(outcome) == "ok"
    assert shown(outcome) == [("read", b'{"p":"a"}')] * 2
    assert reply_of(outcome).usage.input == 3


@pytest.mark.parametrize(
    "body", [b'{"choices":[{"mess', b'{"choices":[]}', b"[]", b"{}", b'{"a":1}']
)
async def test_a_broken_completion_is_a_fault(body: bytes) -> None:
    fault = fault_of(await answered(Reply([body])))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, True)


async def test_A31_an_error_under_200_is_a_fault() -> None:
    fault = fault_of(await answered(Reply([b'{"error":{"message":"no","code":"429"}}'])))
    assert fault.error.code == ErrorCode.RATE_LIMITED


async def test_a_web_page_under_200_is_a_fault() -> None:
    fault = fault_of(await answered(Reply([b"<html><title>Sign in</title>"])))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, False)
    assert "Sign in" in fault.error.message


async def test_a_body_that_was_compressed_all_the_same_is_read() -> None:
    content = gzip.compress(txt("ok") + b"".join(ENDED))
    outcome = await answered(Reply([content], headers={**SSE, "content-encoding": "gzip"}))
    assert text_of(outcome) == "ok"


async def test_a_body_that_is_not_what_it_claims_is_a_fault() -> None:
    outcome = await answered(Reply([b"nonsense"], headers={**SSE, "content-encoding": "gzip"}))
    assert fault_of(outcome).error.code == ErrorCode.BAD_STREAM


# --- stopping ---------------------------------------------------------------------------------------


@pytest.fixture
async def hanging() -> AsyncIterator[tuple[ModelServer, threading.Event]]:
    reached = threading.Event()
    counts = usage(prompt_tokens=3, completion_tokens=1)
    with ModelServer([Reply([txt("half an"), counts, Signal(reached), Hang])]) as server:
        yield server, reached


async def test_T19_a_stopped_request_says_what_had_arrived(
    hanging: tuple[ModelServer, threading.Event],
) -> None:
    server, _ = hanging
    model, listener = openai(server.base_url), Listener()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, model, None, listener)
        with anyio.fail_after(5):
            await listener.heard.wait()
        tasks.cancel_scope.cancel()
    [fault] = listener.stopped
    assert fault.partial == "half an"
    assert await anyio.to_thread.run_sync(server.client_left.wait, 5)
    assert text_of(await ask(model)) == "ok"
    await model.aclose()


async def test_T19_stopping_before_any_answer_leaves_nothing_open() -> None:
    reached = threading.Event()
    with ModelServer([Reply([Signal(reached), Hang], headers={})]) as server:
        model, listener = openai(server.base_url), Listener()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, model, None, listener)
            assert await anyio.to_thread.run_sync(reached.wait, 5)
            tasks.cancel_scope.cancel()
        assert [fault.partial for fault in listener.stopped] == [""]
        assert await anyio.to_thread.run_sync(server.client_left.wait, 5)
        await model.aclose()


async def test_a_finished_request_is_not_said_to_be_stopped() -> None:
    listener = Listener()
    await asked(txt("ok"), *ENDED, listener=listener)
    assert listener.stopped == []


async def test_a_long_conversation_keeps_one_connection() -> None:
    with ModelServer() as server:
        model, history = openai(server.base_url), [user("hi")]
        for _ in range(20):
            assert text_of(await ask(model, said(*history))) == "ok"
            history += [assistant("ok"), user("again")]
        await model.aclose()
    assert {request.connection for request in server.requests} == {1}
    assert len(server.requests[-1].json["messages"]) == 39
