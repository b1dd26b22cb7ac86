"""The file of a scripted model: one reply a line, checked as a whole before the first one is given.

Owns the grammar (spec/scripted-model.md) and the sentences on what is wrong with a line. Plays
nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.jsontext import InvalidJson, compact_json, strict_json
from turnwire.protocol.text import visible
from turnwire.protocol.usage import Usage
from turnwire.runner.core.ports import Finish
from turnwire.runner.providers.errors import BadScript

__all__ = ["Expectation", "ScriptedCall", "ScriptedFault", "ScriptedReply", "load_script"]


class _Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A word of a script; a misspelt field is refused instead of passed over."""


class ScriptedCall(_Line, frozen=True, kw_only=True):
    """A call: ``arguments_text`` is what the model writes where that is not ``arguments`` in JSON."""

    name: str
    arguments: dict[str, Any] = {}
    arguments_text: str | None = None
    id: str | None = None

    def text(self) -> str:
        """Give the arguments as the model writes them."""
        if self.arguments_text is not None:
            return self.arguments_text
        return compact_json(self.arguments).decode()


class ScriptedFault(_Line, frozen=True, kw_only=True):
    """The request fails after what the line says. ``wait_seconds`` is what a provider asks for."""

    code: ErrorCode = ErrorCode.SERVER_ERROR
    message: str = "The script says that this request fails."
    retryable: bool = False
    wait_seconds: float | None = None


class ScriptedUsage(_Line, frozen=True, kw_only=True):
    """Tokens of the request; what is left out is not reported."""

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None


class Expectation(_Line, frozen=True, kw_only=True):
    """What the request must hold, else it fails: texts that stand in the newest message of the user
    and in the newest tool result.
    """

    last_user_contains: str | None = None
    last_result_contains: str | None = None


class ScriptedReply(_Line, frozen=True, kw_only=True):
    """One line: what the model thinks, says and calls, in this order, and how the reply ends.

    Said in pieces of ``delta_chars`` characters (0: in one). ``hold`` never ends: it waits to be
    stopped. ``repeat``, on the last line alone, gives it for ever.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish: Finish = Finish.STOP
    usage: ScriptedUsage = ScriptedUsage()
    fault: ScriptedFault | None = None
    delta_chars: int = 0
    expect: Expectation = Expectation()
    hold: bool = False
    repeat: bool = False

    def tokens(self) -> Usage:
        """Give ``usage`` in the words of the wire."""
        return Usage(**msgspec.structs.asdict(self.usage))


def load_script(path: Path) -> dict[int, ScriptedReply]:
    """Read the script at ``path`` and give its replies by the numbers of their lines, from 1. Blank
    lines are passed over.

    BadScript: the file cannot be read, holds no line, or a line is not as documented.
    """
    shown = visible(str(path), 200)
    try:
        text = path.read_bytes().decode()
    except OSError as wrong:
        raise BadScript(f"The script {shown} cannot be read: {wrong.strerror}.") from None
    except UnicodeDecodeError:
        raise BadScript(f"The script {shown} is not UTF-8.") from None
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), start=1)
    replies = {at: _reply(line, f"{shown}, line {at}") for at, line in lines if line.strip()}
    if not replies:
        raise BadScript(f"The script {shown} holds no line.")
    for at in list(replies)[:-1]:
        if replies[at].repeat:
            raise BadScript(f"{shown}, line {at}: only the last line may repeat.")
    return replies


def _reply(line: str, where: str) -> ScriptedReply:
    try:
        reply = msgspec.convert(strict_json(line), ScriptedReply)
    except (InvalidJson, msgspec.ValidationError) as wrong:
        raise BadScript(f"{where}: {visible(str(wrong), 300)}.") from None
    if reply.delta_chars < 0:
        raise BadScript(f"{where}: delta_chars is 0 or more.")
    return reply
