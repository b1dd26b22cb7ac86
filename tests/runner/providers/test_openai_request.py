"""Requests: what a strict server takes, and bytes that are encoded once."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import strict_provider
from support.talk import READ, assistant, result, said, use, user

from turnwire.protocol.content import Image, Reasoning
from turnwire.protocol.messages import TranscriptMessage
from turnwire.runner.core.ports import ModelRequest, ToolSchema
from turnwire.runner.providers.openai_request import RequestWriter

PICTURE = Image(media_type="image/png", data="AAAA")
TURN = [user("hi"), assistant(use("t1.c1", b'{"p":"a"}')), result("t1.c1", "text"), assistant("ok")]


def written(request: ModelRequest) -> Any:
    return json.loads(RequestWriter("test").body(request))


def messages(*turns: TranscriptMessage) -> Any:
    return written(said(*turns))["messages"]


def test_a_request_says_only_what_every_server_takes() -> None:
    body = written(said("hi", system="Be brief.", tools=[READ]))
    function = {"name": "read", "description": "Read a file.", "parameters": {"type": "object"}}
    assert body == {
        "model": "test",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": function}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
        ],
    }


def test_R12_without_tools_the_word_is_left_out() -> None:
    assert set(written(said("hi"))) == {"model", "stream", "stream_options", "messages"}


def test_T9_calls_and_results_carry_our_own_ids() -> None:
    _, call, answer, _ = messages(*TURN)
    assert call["tool_calls"][0]["id"] == answer["tool_call_id"] == "t1.c1"
    assert call["tool_calls"][0]["function"]["arguments"] == '{"p":"a"}'


def test_A55_a_message_of_calls_alone_has_null_content() -> None:
    for message in (assistant(use("c1")), assistant(" \n", use("c1"))):
        [said_back] = messages(message)
        assert said_back["content"] is None


def test_A08_a_message_of_text_alone_has_no_list_of_calls() -> None:
    assert messages(assistant("ok")) == [{"role": "assistant", "content": "ok"}]


@pytest.mark.parametrize("content", ["", "  "])
def test_A55_a_message_that_says_nothing_is_left_out(content: str) -> None:
    thought = assistant(Reasoning(text="hm"), content)
    assert messages(user("a"), thought, user("b")) == messages(user("a"), user("b"))


def test_A56_an_empty_result_says_that_it_is_empty() -> None:
    assert messages(result("c1", ""))[0]["content"] == "(no output)"


def test_neighbouring_results_stay_one_message_each() -> None:
    told = messages(assistant(use("c1"), use("c2")), result("c1", "one"), result("c2", "two"))
    assert [message["role"] for message in told] == ["assistant", "tool", "tool"]
    assert [message["content"] for message in told[1:]] == ["one", "two"]


def test_images_of_the_user_go_as_parts() -> None:
    [message] = messages(user("look", PICTURE))
    assert message["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]


def test_images_of_results_follow_the_last_result() -> None:
    calls = assistant(use("c1"), use("c2"))
    told = messages(calls, result("c1", "see", PICTURE), result("c2", "two"))
    assert [message["role"] for message in told] == ["assistant", "tool", "tool", "user"]
    assert told[1]["content"] == "see\n(an image, which follows below)"
    assert told[3]["content"][0]["type"] == "image_url"
    later = messages(calls, result("c1", "see", PICTURE), result("c2", "two"), assistant("ok"))
    assert later[:4] == told


def test_B07_a_lone_half_still_makes_valid_json() -> None:
    assert messages(user("a\ud83db"))[0]["content"] == "a\ufffdb"


def test_U2028_passes_and_stays_itself() -> None:
    assert messages(user("a\u2028b"))[0]["content"] == "a\u2028b"


pieces = st.sampled_from(
    [
        (user("hi"),),
        (assistant("ok"),),
        (assistant(Reasoning(text="hm"), "ok"),),
        (assistant(" ", use("A")), result("A", "")),
        (assistant(use("A"), use("B")), result("A", "x", PICTURE), result("B", "y")),
    ]
)


@given(st.lists(st.tuples(pieces, st.integers(0, 3)), max_size=12))
def test_bodies_kept_from_before_equal_fresh_ones(steps: list[tuple[Any, int]]) -> None:
    writer = RequestWriter("test")
    history: list[TranscriptMessage] = []
    for more, dropped in steps:
        del history[len(history) - min(dropped, len(history)) :]
        history.extend(msgspec.structs.replace(message) for message in more)
        request = said(*history)
        assert writer.body(request) == RequestWriter("test").body(request)


def test_a_changed_middle_is_written_anew() -> None:
    writer = RequestWriter("test")
    writer.body(said(*TURN))
    changed = [TURN[0], TURN[1], result("t1.c1", "(cut)"), TURN[3]]
    assert writer.body(said(*changed)) == RequestWriter("test").body(said(*changed))


def test_changed_tools_and_system_are_written_anew() -> None:
    writer = RequestWriter("test")
    writer.body(said("hi", tools=[READ]))
    other = ToolSchema(name="other", description="", input_schema={})
    request = said("hi", system="x", tools=[other])
    assert writer.body(request) == RequestWriter("test").body(request)


class Counted(TranscriptMessage, frozen=True):
    """Counts how often its content is looked at."""

    looks: list[int]

    def __getattribute__(self, name: str) -> Any:
        if name == "content":
            super().__getattribute__("looks").append(1)
        return super().__getattribute__(name)


def test_no_message_is_encoded_a_second_time() -> None:
    writer, looks = RequestWriter("test"), list[int]()
    history: list[TranscriptMessage] = []
    for number in range(50):
        source = TURN[number % 2 * 3]
        history.append(Counted(role=source.role, content=source.content, looks=looks))
        writer.body(said(*history))
    once = len(looks)
    writer.body(said(*history))
    assert len(looks) == once
    assert once <= 50 * 4


def test_A07_A08_D13_a_strict_server_takes_every_history() -> None:
    history = said(*TURN, user("go on"), assistant("x", use("t2.c1")), result("t2.c1", "y"))
    assert strict_provider.fault_of(written(history)) is None
    doubled = said(*TURN, *TURN)
    assert strict_provider.fault_of(written(doubled)) == "an id is empty or occurs twice"
