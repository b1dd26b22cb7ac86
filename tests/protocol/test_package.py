"""The package itself: light to import, free of the outside world, one version everywhere."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

from turnwire.protocol.version import MAJOR, PROTOCOL, SCHEMA_SHA256, VERSION


def loaded_by(statement: str) -> set[str]:
    """What a fresh interpreter loads for it, and only for it: site packages load much beforehand."""
    code = f"import sys; before = {{*sys.modules}}; {statement}; print(*{{*sys.modules}} - before)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_the_version_is_that_of_the_distribution() -> None:
    assert importlib.metadata.version("turnwire") == VERSION
    assert PROTOCOL.partition(".")[0] == str(MAJOR)
    assert re.fullmatch(r"[0-9a-f]{64}", SCHEMA_SHA256)


def test_the_version_costs_no_other_import() -> None:
    own = {"turnwire", "turnwire.protocol", "turnwire.protocol.version"}
    assert loaded_by("import turnwire.protocol.version") - own <= {"__future__", "types"}


def test_framing_is_standard_library_only() -> None:
    loaded = loaded_by("import turnwire.protocol.framing")
    assert "turnwire.protocol.framing" in loaded
    assert not {"msgspec", "json", "turnwire.protocol.events"} & loaded
