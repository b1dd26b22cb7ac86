"""The first line of a child, written before anything slow is imported.

Owns the encoding of one event by hand, so that neither msgspec nor json is needed for it; that it is the
``Hello`` of the protocol, byte for byte, is held by a test. Reads no clock and no environment.
"""

from __future__ import annotations

import os

from turnwire.protocol.version import PROTOCOL, SCHEMA_SHA256, VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    class Known(TypedDict, total=False):
        """What is known when the line is written; what is missing is null."""

        session: str | None
        resumed: bool | None
        answers: str | None
        on_unanswered: str | None
        approval: str | None
        cwd: str | None

    class WireLimits(TypedDict):
        """The limits of the wire: bytes, bytes, seconds."""

        line_bytes: int
        answer_bytes: int
        host_stall_seconds: float


__all__ = ["DEFAULT_LIMITS", "hello_line"]

DEFAULT_LIMITS: WireLimits = {
    "line_bytes": 65_536,
    "answer_bytes": 4_194_304,
    "host_stall_seconds": 300.0,
}
"""The protocol's own limits, for a child that does not know others (spec/framing.md)."""

_LONGEST_CWD = 2_000
"""``hello`` fits into the shortest line that a host may ask for; a longer path is not told."""

_ESCAPES = {
    **{code: f"\\u{code:04x}" for code in range(0x20)},
    **{
        ord(character): f"\\{letter}"
        for character, letter in zip("\b\t\n\f\r", "btnfr", strict=True)
    },
    ord('"'): '\\"',
    ord("\\"): "\\\\",
    0x85: "\\u0085",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def hello_line(
    *, seq: int, at: int, limits: WireLimits = DEFAULT_LIMITS, **known: Unpack[Known]
) -> bytes:
    """Encode ``hello`` with its LF. ``at`` is milliseconds since the epoch."""
    runner = f'{{"name":"turnwire","version":"{VERSION}","pid":{os.getpid()}}}'
    bounds = (
        f'{{"line_bytes":{limits["line_bytes"]},"answer_bytes":{limits["answer_bytes"]},'
        f'"host_stall_seconds":{float(limits["host_stall_seconds"])!r}}}'
    )
    fields = (
        ("type", '"hello"'),
        ("seq", str(seq)),
        ("at", str(at)),
        ("protocol", f'"{PROTOCOL}"'),
        ("schema_sha256", f'"{SCHEMA_SHA256}"'),
        ("runner", runner),
        ("session", _text(known.get("session"))),
        ("resumed", _truth(known.get("resumed"))),
        ("answers", _text(known.get("answers"))),
        ("on_unanswered", _text(known.get("on_unanswered"))),
        ("approval", _text(known.get("approval"))),
        ("limits", bounds),
        ("cwd", _path(known.get("cwd"))),
    )
    line = ",".join(f'"{name}":{value}' for name, value in fields)
    return f"{{{line}}}\n".encode()


def _truth(value: bool | None) -> str:  # noqa: FBT001 (one value of a field)
    return "null" if value is None else str(value).lower()


def _text(value: str | None) -> str:
    """Encode text; what came from the system undecodable is U+FFFD from here on."""
    if value is None:
        return "null"
    whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return f'"{whole.translate(_ESCAPES)}"'


def _path(value: str | None) -> str:
    encoded = _text(value)
    return encoded if len(encoded.encode()) <= _LONGEST_CWD else "null"
