"""The chat completions adapter against a real server that fails it."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from support.answers import answered, asked
from support.model_server import ModelServer
from support.model_steps import (
    DONE,
    Cut,
    Hang,
    Pause,
    Reply,
    Reset,
    data,
    delta,
    error,
    fin,
    tc,
    txt,
    usage,
)
from support.talk import (
    KEY,
    Listener,
    ask,
    fault_of,
    openai,
    reply_of,
    text_of,
)

from turnwire.protocol.faults import ErrorCode

PING = b": ping\n\n"
ENDED = (fin("stop"), DONE)


@pytest.mark.parametrize(
    ("reply", "code", "retryable"),
    [
        (error(401, {"message": f"Incorrect key {KEY}"}), "unauthorized", False),
        (error(404, {"message": "no such model"}), "model_unavailable", False),
        (error(400, {"code": "context_length_exceeded"}), "context_length", False),
        (error(500, {"message": "oops"}), "server_error", True),
        (error(503, b"<html><title>Busy</title></html>"), "overloaded", True),
        (error(429, {"code": "insufficient_quota"}), "quota_exhausted", False),
        (Reply((), 204, {}), "bad_stream", True),
        (Reply(()), "bad_stream", True),
    ],
)
async def test_A62_each_refusal_has_its_name(reply: Reply, code: str, retryable: bool) -> None:
    fault = fault_of(await answered(reply))
    assert (fault.error.code, fault.error.retryable) == (code, retryable)
    assert KEY not in fault.error.message


async def test_A61_a_wait_that_is_asked_for_is_handed_on() -> None:
    fault = fault_of(await answered(error(429, {"message": "slow"}, {"Retry-After": "1.5"})))
    assert (fault.error.code, fault.wait_seconds) == (ErrorCode.RATE_LIMITED, 1.5)


async def test_a_redirect_is_named_and_not_followed() -> None:
    with ModelServer() as elsewhere:
        moved = Reply((), 307, {"location": f"{elsewhere.base_url}/chat/completions"})
        fault = fault_of(await answered(moved))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.UNREACHABLE, False)
    assert elsewhere.base_url in fault.error.message
    assert elsewhere.requests == []


@pytest.mark.parametrize("fault_step", [Reset, Cut])
async def test_A64_a_broken_stream_keeps_what_had_arrived(fault_step: Any) -> None:
    counts = usage(prompt_tokens=3, completion_tokens=1)
    fault = fault_of(await asked(txt("Hello wor"), counts, Pause(0.05), fault_step))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, True)
    assert (fault.partial, fault.usage.input) == ("Hello wor", 3)


@pytest.mark.parametrize("fault_step", [Reset, Cut])
async def test_A64_a_call_before_the_break_does_not_run(fault_step: Any) -> None:
    assert fault_of(await asked(tc(0, "c", "read", "{}"), Pause(0.05), fault_step))


@pytest.mark.parametrize("fault_step", [Reset, Cut])
async def test_a_break_after_a_whole_reply_changes_nothing(fault_step: Any) -> None:
    assert text_of(await asked(txt("ok"), fin("stop"), Pause(0.05), fault_step)) == "ok"


@pytest.mark.parametrize("end", [(fin("stop"), DONE), (fin("stop"),)])
async def test_a_server_that_never_closes_holds_up_no_reply(end: Any) -> None:
    assert text_of(await asked(txt("ok"), *end, Hang, idle=0.3)) == "ok"


async def test_A43_pings_after_a_whole_reply_hold_up_nothing() -> None:
    pings = cycle([PING, Pause(0.02)])
    with ModelServer(
        [Reply(each for part in ([txt("ok"), *ENDED], pings) for each in part)]
    ) as server:
        model = openai(server.base_url)
        assert text_of(await ask(model)) == "ok"
        await model.aclose()


@pytest.mark.parametrize("before", [(), (txt("half an"),), (delta({"role": "assistant"}),)])
async def test_A43_pings_without_progress_time_out(before: Any) -> None:
    listener = Listener()
    steps = (each for part in (before, cycle([PING, Pause(0.02)])) for each in part)
    with ModelServer([Reply(steps)]) as server:
        model = openai(server.base_url, first=0.3, idle=0.3)
        fault = fault_of(await ask(model, listener=listener))
        await model.aclose()
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.TIMED_OUT, True)
    assert fault.partial == listener.text()


@pytest.mark.parametrize(
    "keepalive", [b"data: : ping\n\n", data({"choices": []}), b"event: ping\n\n"]
)
async def test_A43_wrapped_pings_are_no_progress_either(keepalive: bytes) -> None:
    with ModelServer([Reply(cycle([keepalive, Pause(0.02)]))]) as server:
        model = openai(server.base_url, first=0.3, idle=0.3)
        assert fault_of(await ask(model)).error.code == ErrorCode.TIMED_OUT
        await model.aclose()


@pytest.mark.parametrize("piece", [delta({"reasoning": "."}), tc(0, "c", "read", " ")])
async def test_A43_a_slow_model_that_moves_on_is_not_killed(piece: bytes) -> None:
    slow = [step for _ in range(12) for step in (piece, Pause(0.1))]
    reply = reply_of(await asked(*slow, *ENDED, first=0.6, idle=0.6))
    assert reply.content


async def test_A43_silence_before_the_first_byte_times_out() -> None:
    fault = fault_of(await asked(Hang, first=0.2))
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.TIMED_OUT, True)


async def test_a_stream_without_events_is_cut_at_its_limit() -> None:
    flood = b"data: " + b"x" * 1_000_000
    with ModelServer([Reply(cycle([flood]))]) as server:
        model = openai(server.base_url)
        fault = fault_of(await ask(model))
        await model.aclose()
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, False)


async def test_an_endless_error_body_is_not_read_to_its_end() -> None:
    with ModelServer([Reply(cycle([b"x" * 100_000]), 500)]) as server:
        model = openai(server.base_url)
        assert fault_of(await ask(model)).error.code == ErrorCode.SERVER_ERROR
        await model.aclose()


async def test_a_completion_without_end_is_cut_at_its_limit() -> None:
    with ModelServer([Reply(cycle([b"{" + b" " * 1_000_000]))]) as server:
        model = openai(server.base_url)
        fault = fault_of(await ask(model))
        await model.aclose()
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, False)


async def test_a_completion_without_a_message_is_empty() -> None:
    reply = reply_of(await answered(Reply([b'{"choices":[{"finish_reason":"stop"}]}'])))
    assert reply.content == ()
