"""A whole turn against model servers: one written for these tests, and one that nobody here wrote."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.child import child, eventually
from support.model_server import ModelServer
from support.model_steps import ABSENT, DONE, Cut, Reply, Reset, fin, tc, txt
from support.strict_provider import fault_of

CALL = json.dumps({"path": "a.txt", "content": "hello\n"})


def model(server: ModelServer) -> tuple[str, ...]:
    return ("--model", "openai:test", "--base-url", server.base_url)


@pytest.mark.parametrize("answers", ["fd", "stdin"])
def test_P1_a_call_over_http_is_asked_and_runs(tmp_path: Path, answers: str) -> None:
    replies = [
        Reply([tc(0, "c1", "write", CALL), fin("tool_calls"), DONE]),
        Reply([txt("writ"), txt("ten"), fin("stop"), DONE]),
    ]
    with (
        ModelServer(replies, check=fault_of) as server,
        child(tmp_path, "go", *model(server), "--tools", "write", answers=answers) as run,
    ):
        asked = run.until("human_request")
        run.send(type="answer", id=asked["id"], action="accept")
        assert run.finish() == 0
    assert (tmp_path / "a.txt").read_text() == "hello\n"
    assert run.all("turn_end")[0]["text"] == "written"
    [request] = [r.json for r in server.requests[1:]]
    assert [m["role"] for m in request["messages"]] == ["user", "assistant", "tool"]


def test_A07_T9_one_id_in_every_round_is_three_calls(tmp_path: Path) -> None:
    rounds = [
        Reply([tc(0, "sh_0", "bash", f'{{"command":"echo {n}"}}'), fin("tool_calls"), DONE])
        for n in (1, 2, 3)
    ]
    flags = ("--tools", "bash", "--approval", "never")
    with ModelServer(rounds, check=fault_of) as server:
        with child(tmp_path, "go", *model(server), *flags) as run:
            assert run.finish() == 0
        results = [m for m in server.requests[-1].json["messages"] if m["role"] == "tool"]
    assert [result["content"].split()[0] for result in results] == ["1", "2", "3"]
    calls = {row["id"] for row in run.all("row") if row.get("kind") == "tool"}
    assert len(calls) == 3


def test_A02_A08_two_calls_with_one_id_both_run(tmp_path: Path) -> None:
    pieces = [
        tc(0, "x", "bash", '{"command":'),
        tc(0, ABSENT, ABSENT, '"echo one"}'),
        tc(1, "x", "bash", '{"command":"echo two"}'),
        fin("tool_calls"),
        DONE,
    ]
    flags = ("--tools", "bash", "--approval", "never")
    with ModelServer([Reply(pieces)], check=fault_of) as server:
        with child(tmp_path, "go", *model(server), *flags) as run:
            assert run.finish() == 0
        results = [m for m in server.requests[-1].json["messages"] if m["role"] == "tool"]
    assert [result["content"].split()[0] for result in results] == ["one", "two"]


def test_A64_a_dropped_stream_is_void_and_tried_again(tmp_path: Path) -> None:
    replies = [
        Reply([txt("Hello wor"), Reset]),
        Reply([txt("Hello world"), fin("stop"), DONE]),
    ]
    with ModelServer(replies) as server, child(tmp_path, "go", *model(server)) as run:
        assert run.finish() == 0
    assert run.all("turn_end")[0]["text"] == "Hello world"
    ended = {row["id"]: row["status"] for row in run.all("row") if row["id"].startswith("t1.r")}
    assert ended == {"t1.r1": "failed", "t1.r2": "done"}
    assert [n["code"] for n in run.all("notice")] == ["retry"]


def test_A25_a_cut_answer_is_never_a_success(tmp_path: Path) -> None:
    cut = Reply([txt("The answer is"), Cut])
    with ModelServer([cut] * 9) as server, child(tmp_path, "go", *model(server)) as run:
        assert run.finish() == 3
    assert run.events[-1]["error"]["code"] == "bad_stream"


def test_E20_the_key_is_nowhere_but_at_the_provider(tmp_path: Path) -> None:
    key = "sk-test-0123456789abcdef"
    replies = [Reply([tc(0, "c", "bash", '{"command":"env"}'), fin("tool_calls"), DONE])]
    flags = ("--tools", "bash", "--approval", "never", "--api-key-env", "MY_PROVIDER_NAME")
    variables = {"MY_PROVIDER_NAME": key, "A_COPY": key, "OTHER_API_KEY": "hidden-too"}
    with ModelServer(replies) as server:
        with child(tmp_path, "go", *model(server), *flags, environment=variables) as run:
            assert run.finish() == 0
        assert server.requests[0].headers["authorization"] == f"Bearer {key}"
        assert b"PATH=" in server.requests[1].body
        assert key.encode() not in server.requests[1].body
    assert key.encode() not in run.raw and b"hidden-too" not in run.raw


# --- a server that nobody here wrote ----------------------------------------------------------------------


@pytest.fixture
def aimock(tmp_path: Path) -> Iterator[str]:
    """The npm package @copilotkit/aimock; .ci/run installs it beside itself."""
    beside = Path(__file__).parents[2] / ".ci" / "node_modules" / ".bin" / "llmock"
    program = str(beside) if beside.exists() else shutil.which("llmock")
    if program is None:
        pytest.skip("the npm package @copilotkit/aimock is not installed (.ci/run does it)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}))
    server = subprocess.Popen(
        [program, "-p", str(port), "-f", str(fixtures), "--log-level", "warn"]
    )
    try:
        assert eventually(lambda: _listens(port))
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


FIXTURES = [
    {
        "match": {"userMessage": "write it", "hasToolResult": True},
        "response": {"content": "It is written."},
    },
    {
        "match": {"userMessage": "write it", "hasToolResult": False},
        "response": {"toolCalls": [{"name": "write", "arguments": json.loads(CALL)}]},
    },
]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.aimock
@pytest.mark.parametrize("answers", ["fd", "stdin"])
def test_P1_a_foreign_server_drives_the_same_turn(
    tmp_path: Path, aimock: str, answers: str
) -> None:
    flags = ("--model", "openai:gpt-test", "--base-url", aimock, "--tools", "write")
    with child(tmp_path, "write it", *flags, answers=answers) as run:
        asked = run.until("human_request")
        run.send(type="answer", id=asked["id"], action="accept")
        assert run.finish() == 0
    assert (tmp_path / "a.txt").read_text() == "hello\n"
    assert run.all("turn_end")[0]["text"] == "It is written."


@pytest.mark.aimock
def test_P6_a_foreign_server_hears_of_the_refusal(tmp_path: Path, aimock: str) -> None:
    flags = ("--model", "openai:gpt-test", "--base-url", aimock, "--tools", "write")
    with child(tmp_path, "write it", *flags) as run:
        assert run.finish() == 4
    assert not (tmp_path / "a.txt").exists()
