"""Chat completions as servers really send them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.model_steps import ABSENT, DONE, data, delta, fin, tc, txt, usage
from support.streams import read_chunks
from support.talk import Listener, fault_of, reply_of, shown, text_of

from turnwire.protocol.content import Reasoning, Text
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.usage import NOTHING_REPORTED
from turnwire.runner.core.ports import Finish, ModelOutcome

RECORDED = b"".join(
    [
        b": OPENROUTER PROCESSING\n\n",
        delta({"role": "assistant", "content": ""}),
        delta({"reasoning_content": "Let me think 北京 "}),
        txt("北京 🌍 é"),
        txt(" half \ud83c"),
        txt("\udf78 ok"),
        tc(0, "c1", "read", ""),
        tc(0, ABSENT, ABSENT, '{"p":"🌍 \\ud83c'),
        tc(0, ABSENT, ABSENT, '\\udf78"}'),
        tc(1, "c2", "read", '{"p":"b"}'),
        fin("tool_calls").replace(b"\n", b"\r\n"),
        usage(prompt_tokens=3, completion_tokens=1),
        DONE,
    ]
)
EXPECTED = read_chunks([RECORDED])


def parts_of(outcome: ModelOutcome) -> object:
    return reply_of(outcome).content, reply_of(outcome).usage


def test_A40_a_stream_in_single_bytes_gives_the_same_reply() -> None:
    listener = Listener()
    chunks = [RECORDED[at : at + 1] for at in range(len(RECORDED))]
    assert read_chunks(chunks, listener) == EXPECTED
    assert listener.text() == text_of(EXPECTED) == "北京 🌍 é half 🍸 ok"


@given(st.lists(st.integers(0, len(RECORDED)), max_size=12))
def test_A40_any_packet_borders_give_the_same_reply(borders: list[int]) -> None:
    cuts = [0, *sorted(borders), len(RECORDED)]
    chunks = [RECORDED[start:end] for start, end in pairwise(cuts)]
    assert read_chunks(chunks) == EXPECTED


@given(st.integers(0, RECORDED.index(b'tool_calls"}') - 1))
def test_A25_a_stream_cut_anywhere_is_never_a_reply(end: int) -> None:
    fault = fault_of(read_chunks([RECORDED[:end]]))
    assert fault.error.retryable
    assert text_of(EXPECTED).startswith(fault.partial.rstrip("\ufffd"))


@pytest.mark.parametrize(
    "error",
    [
        {"message": "quota exceeded"},
        "quota exceeded",
        {"message": "quota exceeded", "code": "insufficient_quota"},
    ],
)
def test_A31_an_error_in_the_stream_is_a_fault(error: object) -> None:
    fault = fault_of(read_chunks([data({"error": error}) + DONE]))
    assert fault.error.code == ErrorCode.QUOTA_EXHAUSTED
    assert "quota exceeded" in fault.error.message


@pytest.mark.parametrize(("code", "expected"), [("429", "rate_limited"), (503, "overloaded")])
def test_A31_a_code_is_read_as_string_or_number(code: object, expected: str) -> None:
    fault = fault_of(read_chunks([txt("Hi") + data({"error": {"code": code}})]))
    assert (fault.error.code, fault.error.retryable, fault.partial) == (expected, True, "Hi")


def test_A31_an_error_beside_a_choice_is_a_fault() -> None:
    broken = delta({"content": ""}, "error", error={"code": 502, "message": "bad gateway"})
    assert fault_of(read_chunks([txt("Hi"), broken])).error.code == ErrorCode.SERVER_ERROR
    assert fault_of(read_chunks([txt("Hi"), fin("error")])).error.retryable


def test_A34_chunks_without_choices_are_passed_over() -> None:
    chunks = [
        data({"choices": [], "prompt_filter_results": []}),
        txt("ok"),
        fin("stop"),
        usage(prompt_tokens=3, completion_tokens=1),
        data({"usage": None}),
        data({"choices": None}),
        data({"choices": [None]}),
        DONE,
    ]
    outcome = read_chunks(chunks)
    assert text_of(outcome) == "ok"
    assert (reply_of(outcome).usage.input, reply_of(outcome).usage.output) == (3, 1)


def test_A35_the_last_running_usage_counts() -> None:
    chunks = [
        delta({"content": text}, finish, usage={"prompt_tokens": 1, "completion_tokens": count})
        for text, finish, count in (("a", None, 1), ("b", None, 2), ("c", "stop", 3))
    ]
    outcome = read_chunks([*chunks, DONE])
    assert text_of(outcome) == "abc"
    assert (reply_of(outcome).usage.input, reply_of(outcome).usage.output) == (1, 3)


def test_S3_usage_that_is_not_reported_stays_unknown() -> None:
    assert reply_of(read_chunks([txt("a"), fin("stop")])).usage == NOTHING_REPORTED


def test_A38_a_wrapped_comment_is_skipped_and_noted() -> None:
    listener = Listener()
    chunks = [b"data: : OPENROUTER PROCESSING\n\n", txt("ok"), fin("stop"), DONE]
    assert text_of(read_chunks(chunks, listener)) == "ok"
    assert len(listener.notices) == 1


@pytest.mark.parametrize("nonsense", ["Internal error", "[1]", '{"choices":{}}', '{"choices":'])
def test_A38_other_data_that_is_no_completion_is_a_fault(nonsense: str) -> None:
    fault = fault_of(read_chunks([txt("a"), data(nonsense)]))
    assert fault.error.code == ErrorCode.BAD_STREAM
    assert nonsense[:10] in fault.error.message


@pytest.mark.parametrize("end", ['data: {"choices":[{"finish_reason":"stop"}]}', "data: [DONE]"])
def test_A41_an_unterminated_end_counts_if_complete(end: str) -> None:
    assert text_of(read_chunks([txt("ok"), end.encode()])) == "ok"


def test_A41_an_unterminated_event_that_is_cut_does_not_count() -> None:
    fault = fault_of(read_chunks([txt("ok"), b'data: {"choices":[{"finish_reason":"st']))
    assert (fault.error.code, fault.partial) == (ErrorCode.BAD_STREAM, "ok")


def test_A41_an_event_over_several_lines_is_one() -> None:
    chunk = b'data: {"choices":\ndata: [{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'
    assert text_of(read_chunks([chunk])) == "ok"


def test_A44_content_as_parts_keeps_thoughts_apart() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [thinking, {"type": "text", "text": "ok"}, {"type": "hologram"}, "odd"]
    outcome = read_chunks([txt(parts), txt("!"), fin("stop"), DONE])
    assert text_of(outcome) == "ok!"
    assert reply_of(outcome).content[0] == Reasoning(text="hm")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_A46_thoughts_alone_are_a_reply_without_text(field: str) -> None:
    reply = reply_of(read_chunks([delta({field: "thinking…"}), fin("stop"), DONE]))
    assert reply.content == (Reasoning(text="thinking…"),)


def test_thoughts_under_two_names_are_taken_once() -> None:
    both = delta({"reasoning": "hm", "reasoning_content": "hm"})
    assert reply_of(read_chunks([both, fin("stop")])).content == (Reasoning(text="hm"),)


def test_A65_a_refusal_is_text_and_is_named() -> None:
    pieces = [delta({"refusal": "I "}), delta({"refusal": "can't"}), fin("stop"), DONE]
    outcome = read_chunks(pieces)
    assert text_of(outcome) == "I can't"
    assert reply_of(outcome).finish is Finish.REFUSAL


@pytest.mark.parametrize(
    ("label", "finish"), [("content_filter", Finish.CONTENT_FILTER), ("length", Finish.LENGTH)]
)
def test_A65_a_cut_is_named_even_without_text(label: str, finish: Finish) -> None:
    assert reply_of(read_chunks([fin(label), DONE])).finish is finish


def test_B07_bytes_that_are_no_utf8_are_replaced() -> None:
    chunk = txt("a?b").replace(b"?", b"\x96\xff")
    assert text_of(read_chunks([chunk, fin("stop")])) == "a\ufffd\ufffdb"


@pytest.mark.parametrize("call", [None, 3, {}, {"function": None}, {"function": {"name": 7}}])
def test_misshapen_calls_break_nothing(call: object) -> None:
    outcome = read_chunks([txt("ok"), delta({"tool_calls": [call]}), fin("stop"), DONE])
    assert reply_of(outcome).content == (Text(text="ok"),)


def test_arguments_as_an_object_are_taken() -> None:
    outcome = read_chunks([tc(0, "c", "read", {"p": "a"}), fin("stop"), DONE])
    assert shown(outcome) == [("read", b'{"p":"a"}')]


def test_nothing_after_the_end_mark_counts() -> None:
    assert text_of(read_chunks([txt("ok") + fin("stop") + DONE + txt("more"), txt("!")])) == "ok"


def test_A65_a_refusal_among_parts_is_a_refusal() -> None:
    outcome = read_chunks([txt([{"type": "refusal", "refusal": "I can't"}]), fin("stop")])
    assert (text_of(outcome), reply_of(outcome).finish) == ("I can't", Finish.REFUSAL)


def test_a_label_that_is_no_word_ends_nothing() -> None:
    odd = data({"choices": [{"delta": {"content": "a"}, "finish_reason": 7}]})
    assert fault_of(read_chunks([odd])).error.code == ErrorCode.BAD_STREAM


@pytest.mark.parametrize("message", [{"a": "\ud83c"}, "\ud83c", 7, [None]])
def test_B07_an_error_of_odd_words_is_still_a_fault(message: object) -> None:
    fault_of(read_chunks([data({"error": {"message": message}})])).error.message.encode()
