"""What the README shows is what the repository holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", ["host.sh", "host.mjs", "host.py"])
def test_the_readme_shows_each_host_as_it_is(name: str) -> None:
    assert (ROOT / "spec" / "hosts" / name).read_text().rstrip() in README


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links and not [
        link for link in links if "://" not in link and not (ROOT / link).exists()
    ]


def test_every_python_example_of_the_readme_compiles() -> None:
    examples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        compile(example, "README.md", "exec")
