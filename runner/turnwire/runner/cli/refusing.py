"""The two lines of a child that cannot start: a ``hello`` that knows nothing, and the ``end``."""

from __future__ import annotations

import time

from turnwire.protocol.codec import decode_event, encode_event
from turnwire.protocol.events import Hello
from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.protocol.framing import encode_line
from turnwire.runner.channel.hello import hello_line
from turnwire.runner.core.evolve import evolve
from turnwire.runner.core.inputs import Failed
from turnwire.runner.core.machine import decide
from turnwire.runner.core.state import Run

__all__ = ["refusal_lines"]


def refusal_lines(message: str) -> bytes:
    """Give the lines of a run whose arguments were refused with ``message``."""
    at = time.time_ns() // 1_000_000
    hello = hello_line(seq=1, at=at)
    event = decode_event(hello)
    assert isinstance(event, Hello)
    error = WireError(code=ErrorCode.USAGE, message=message, fault=Blame.HOST)
    events, _ = decide(evolve(Run(), event), at, Failed(error=error))
    return hello + b"".join(encode_line(encode_event(end)) for end in events)
