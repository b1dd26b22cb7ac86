"""The scripted model's file: checked as a whole, and clear on what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.talk import Listener, ask, assistant, fault_of, result, said, text_of, use

from turnwire.protocol.faults import Blame, ErrorCode
from turnwire.runner.providers.errors import BadScript
from turnwire.runner.providers.script import load_script
from turnwire.runner.providers.scripted import ScriptedModel


def scripted(folder: Path, *lines: str) -> ScriptedModel:
    path = folder / "script.jsonl"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    return ScriptedModel("scripted:script.jsonl", path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "no JSON"),
        ("[]", "Expected `object`"),
        ('"text"', "Expected `object`"),
        ('{"txt":"a"}', "`txt`"),
        ('{"text":1}', "$.text"),
        ('{"text":"a","text":"b"}', "stands twice"),
        ('{"finish":"tired"}', "tired"),
        ('{"calls":[{"arguments":{}}]}', "`name`"),
        ('{"calls":[{"name":"a","arguments":[]}]}', "$.calls[0].arguments"),
        ('{"calls":[{"name":"a","argument":{}}]}', "argument"),
        ('{"fault":{"code":"sunspots"}}', "sunspots"),
        ('{"delta_chars":-1}', "delta_chars"),
        ('{"text":"a","repeat":true}', "only the last line may repeat"),
        ('{"usage":{"input":1.5}}', "$.usage.input"),
        ('{"number":7}', "`number`"),
        ('{"text":"\\ud83d"}', "surrogate"),
    ],
)
def test_a_bad_line_is_refused_with_file_and_line(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(BadScript) as refused:
        scripted(tmp_path, '{"text":"a"}', "", line, '{"text":"b"}')
    assert "script.jsonl, line 3: " in refused.value.message
    assert words in refused.value.message
    assert refused.value.code == ErrorCode.USAGE


@pytest.mark.parametrize(("lines", "words"), [(["", " "], "no line"), (["\udcff"], "UTF-8")])
def test_a_file_that_is_no_script_is_refused(tmp_path: Path, lines: list[str], words: str) -> None:
    with pytest.raises(BadScript, match=words):
        scripted(tmp_path, *lines)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(BadScript, match="cannot be read"):
            load_script(path)


def test_B04_only_line_feeds_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_bytes('\ufeff{"text":"a\u2028b\u0085c"}\r\n\r\n{"text":"d"}'.encode())
    read = load_script(path)
    assert {at: reply.text for at, reply in read.items()} == {1: "a\u2028b\u0085c", 3: "d"}


async def test_a_script_that_runs_out_says_so(tmp_path: Path) -> None:
    model = scripted(tmp_path, '{"text":"a"}')
    await ask(model)
    for _ in range(2):
        fault = fault_of(await ask(model))
        assert (fault.error.retryable, fault.error.fault) == (False, Blame.HOST)
        assert "no more lines after 1" in fault.error.message


EXPECTING = '{"text":"ok","expect":{"last_user_contains":"two","last_result_contains":"file"}}'


async def test_a_line_may_expect_what_it_answers(tmp_path: Path) -> None:
    request = said("one", "two", assistant(use("c")), result("c", "a file"), assistant("x"))
    assert text_of(await ask(scripted(tmp_path, EXPECTING), request)) == "ok"


@pytest.mark.parametrize(
    ("request_texts", "result_text", "words"),
    [
        (("two", "one"), "file", "the newest message of the user should hold 'two'"),
        (("two",), "else", "the newest tool result should hold 'file', but it is 'else'"),
        (("two",), None, "but there is none"),
    ],
)
async def test_an_unmet_expectation_fails_the_request(
    tmp_path: Path, request_texts: tuple[str, ...], result_text: str | None, words: str
) -> None:
    results = [] if result_text is None else [result("c", result_text)]
    fault = fault_of(await ask(scripted(tmp_path, EXPECTING), said(*request_texts, *results)))
    assert words in fault.error.message
    assert "line 1" in fault.error.message
    assert not fault.error.retryable


async def test_a_scripted_reply_lets_others_work_between_pieces(tmp_path: Path) -> None:
    listener = Listener()
    await ask(scripted(tmp_path, '{"text":"abcd","delta_chars":1}'), None, listener)
    assert [text for _, text, _ in listener.deltas] == ["a", "b", "c", "d"]
