"""Which model stands behind a name, and what is wrong before anything is connected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.model_server import ModelServer
from support.talk import KEY, ask, text_of

from turnwire.protocol.faults import ErrorCode
from turnwire.runner.providers.catalogue import ModelOptions, open_model
from turnwire.runner.providers.errors import BadAddress, BadKey, BadScript, KeyMissing, UnknownModel

LOOKS_AT_IMPORTS = """
import sys
from turnwire.runner.providers.catalogue import ModelOptions, open_model
open_model("scripted:" + sys.argv[1], ModelOptions())
print(*sys.modules)
"""


@pytest.mark.parametrize(
    "spec", ["", "gpt-5", "openai", "openai:", "openai: ", "olama:x", "local:x"]
)
def test_an_unknown_name_lists_the_known_ones(spec: str) -> None:
    with pytest.raises(UnknownModel) as refused:
        open_model(spec, ModelOptions(api_key=KEY))
    assert refused.value.code == ErrorCode.USAGE
    assert any(form in refused.value.message for form in ("openai:NAME", "local"))


@pytest.mark.parametrize("key", [None, ""])
def test_openai_itself_wants_a_key(key: str | None) -> None:
    with pytest.raises(KeyMissing) as refused:
        open_model("openai:gpt-5", ModelOptions(api_key=key))
    assert refused.value.code == ErrorCode.KEY_MISSING
    assert "OPENAI_API_KEY" in refused.value.message


async def test_a_server_of_ones_own_needs_no_key() -> None:
    with ModelServer() as server:
        model = open_model("openai:a:b/c", ModelOptions(base_url=f"{server.base_url}/"))
        assert (model.name, text_of(await ask(model))) == ("openai:a:b/c", "ok")
        await model.aclose()
    assert server.requests[0].json["model"] == "a:b/c"
    assert "authorization" not in server.requests[0].headers


def test_a_key_and_an_address_are_checked_at_once() -> None:
    with pytest.raises(BadKey):
        open_model("openai:x", ModelOptions(api_key="sk-\n"))
    with pytest.raises(BadAddress):
        open_model("openai:x", ModelOptions(base_url="http://example.com"))
    with pytest.raises(BadAddress):
        open_model("local", ModelOptions(base_url="http://127.0.0.1"))


async def test_a_script_is_sought_in_the_folder_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"text":"ok"}', encoding="utf-8")
    for spec in ("scripted:s.jsonl", f"scripted:{tmp_path}/s.jsonl"):
        model = open_model(spec, ModelOptions(cwd=str(tmp_path)))
        assert (model.name, text_of(await ask(model))) == (spec, "ok")
    with pytest.raises(BadScript):
        open_model("scripted:none", ModelOptions(cwd=str(tmp_path)))


def test_a_scripted_model_never_brings_httpx(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"text":"ok"}', encoding="utf-8")
    command = [sys.executable, "-c", LOOKS_AT_IMPORTS, str(tmp_path / "s.jsonl")]
    loaded = subprocess.run(command, capture_output=True, check=True, timeout=30).stdout.split()
    assert b"turnwire.runner.providers.scripted" in loaded
    assert not {b"httpx", b"ssl", b"platformdirs", b"email"} & set(loaded)
