"""The first line, encoded by hand, is the protocol's own ``Hello``."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from turnwire.protocol.codec import decode_event, encode_event
from turnwire.protocol.events import Hello, Limits
from turnwire.protocol.framing import LEAST_LINE_BYTES, encode_line
from turnwire.protocol.version import PROTOCOL, SCHEMA_SHA256, VERSION
from turnwire.runner.channel.hello import DEFAULT_LIMITS, hello_line

HOSTILE = '/a"b\\c\x00\x08\t\n\x0c\r\x1f\x7f/é\u2028\u2029\u0085🌍'


def _said(cwd: str | None = "/here") -> bytes:
    return hello_line(
        seq=7,
        at=1_796_000_000_123,
        session="20261130-214502-123-0a0b0c0d",
        resumed=True,
        answers="fd",
        on_unanswered="suspend",
        approval="never",
        cwd=cwd,
    )


@pytest.mark.parametrize("cwd", [None, "/here", HOSTILE])
def test_hello_by_hand_is_hello_by_codec(cwd: str | None) -> None:
    line = _said(cwd)
    event = decode_event(line[:-1])
    assert isinstance(event, Hello)
    assert event.cwd == cwd
    assert encode_line(encode_event(event)) == line


def test_hello_says_what_it_was_told() -> None:
    event = decode_event(_said()[:-1])
    assert isinstance(event, Hello)
    assert (event.seq, event.at, event.resumed) == (7, 1_796_000_000_123, True)
    assert (event.answers, event.on_unanswered, event.approval) == ("fd", "suspend", "never")
    assert (event.protocol, event.schema_sha256) == (PROTOCOL, SCHEMA_SHA256)
    assert (event.runner.name, event.runner.version, event.runner.pid) == (
        "turnwire",
        VERSION,
        os.getpid(),
    )


def test_hello_says_null_for_what_is_not_known() -> None:
    line = hello_line(seq=1, at=0)
    event = decode_event(line[:-1])
    assert isinstance(event, Hello)
    assert (
        event.session,
        event.resumed,
        event.answers,
        event.on_unanswered,
        event.approval,
        event.cwd,
    ) == ((None,) * 6)
    assert line.count(b":null") == 6


def test_hello_has_the_limits_of_the_protocol() -> None:
    event = decode_event(hello_line(seq=1, at=0)[:-1])
    assert isinstance(event, Hello)
    assert event.limits == Limits() == Limits(**DEFAULT_LIMITS)


def test_B04_hello_is_one_line_to_every_reader() -> None:
    assert len(_said(HOSTILE).decode().splitlines()) == 1


def test_B07_an_undecodable_folder_becomes_replacement_characters() -> None:
    event = decode_event(_said(os.fsdecode(b"/a\xff\xfe"))[:-1])
    assert isinstance(event, Hello)
    assert event.cwd == "/a\ufffd\ufffd"


@pytest.mark.parametrize("cwd", ["/" + "x" * 4095, "/" + "\x01" * 700, "/" + "🌍" * 1000])
def test_B02_hello_fits_into_the_shortest_line(cwd: str) -> None:
    line = _said(cwd)
    assert len(line) <= LEAST_LINE_BYTES
    assert isinstance(decode_event(line[:-1]), Hello)


def test_hello_imports_neither_json_nor_msgspec() -> None:
    program = f"""
import sys
sys.path[:] = {sys.path!r}
from turnwire.runner.channel.hello import hello_line
hello_line(seq=1, at=0, cwd="/")
print(*sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-S", "-E", "-c", program],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert not {"json", "_json", "msgspec", "typing", "re", "enum"} & set(ran.stdout.split())
