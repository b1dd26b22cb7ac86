"""The vectors of the spec as data: lines that may be raw text, bytes, or pieces said many times."""

from __future__ import annotations

import base64
import itertools
import json
from typing import Any

from support.spec_pages import SPEC

__all__ = ["VECTORS", "line_of", "messages"]

VECTORS = SPEC / "vectors"


def messages(name: str, to: str) -> list[dict[str, Any]]:
    """The vectors of ``messages/name.jsonl`` that go to ``to``."""
    lines = (VECTORS / "messages" / f"{name}.jsonl").read_bytes().split(b"\n")
    found: list[dict[str, Any]] = [json.loads(line) for line in lines if line]
    return [vector for vector in found if vector["to"] == to]


def line_of(vector: dict[str, Any]) -> bytes:
    """The line that a vector stands for, without its LF."""
    if "base64" in vector:
        return base64.b64decode(vector["base64"])
    if "pieces" in vector:
        pieces = itertools.starmap(lambda text, times: text * times, vector["pieces"])
        return "".join(pieces).encode()
    return str(vector["text"]).encode()
