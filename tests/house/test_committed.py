"""Nothing that is committed tells of one machine: no paths of it, no addresses of registries."""

from __future__ import annotations

import re

import pytest
from house.sources import ROOT, text_of, tracked

# In pieces, so that this file holds none of what it looks for.
REGISTRIES = ("pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "npmjs" + ".com")
MACHINE = re.compile(r"(?<![\w./$}-])/(?:wo" + r"rk|fa" + r"rm|ro" + r"ot)/")
LOCKS = re.compile(r"(^|/)(uv\.lock|poetry\.lock|package-lock\.json|pnpm-lock\.yaml)$")


def test_no_file_names_a_registry() -> None:
    assert [path for path in tracked() if any(host in text_of(path) for host in REGISTRIES)] == []


def test_no_file_holds_a_path_of_a_machine() -> None:
    found = [
        f"{path}:{number}"
        for path in tracked()
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if MACHINE.search(line) or f"{ROOT}/" in line
    ]
    assert not found, "\n".join(found)


def test_no_lock_file_is_committed() -> None:
    assert [path for path in tracked() if LOCKS.search(path)] == []


def test_the_namespace_has_no_init() -> None:
    folders = [ROOT / room / "turnwire" for room in ("protocol", "runner", "host_adapters")]
    assert [str(folder) for folder in folders if (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    "package",
    ["protocol/turnwire/protocol", "runner/turnwire/runner", "host_adapters/turnwire/hosts"],
)
def test_every_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
