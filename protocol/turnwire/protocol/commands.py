"""Every line that a host may write, as one tagged union."""

from __future__ import annotations

from typing import Any

import msgspec

from turnwire.protocol.base import UNSET, HostLine, UnsetType
from turnwire.protocol.content import Image, Text
from turnwire.protocol.people import Action, Scope

__all__ = [
    "Answer",
    "Command",
    "Interrupt",
    "Rewind",
    "Shutdown",
    "Steer",
    "ToolProgress",
    "ToolResultLine",
]


class Answer(HostLine, frozen=True, kw_only=True, tag="answer"):
    """A person's answer to request ``id``. The first valid one wins.

    ``content`` goes with an accepted elicit. ``done`` false keeps a multi-turn request open. ``arguments``
    replaces the call's arguments whole, where the request is ``editable``. ``arguments_sha256``, if given,
    must be the digest that was shown. ``reason`` is text for the model. ``stop`` ends the turn too.
    """

    id: str
    action: Action
    content: dict[str, Any] | UnsetType = UNSET
    done: bool = True
    arguments: msgspec.Raw | UnsetType = UNSET
    arguments_sha256: str | UnsetType = UNSET
    scope: Scope = Scope.ONCE
    reason: str | UnsetType = UNSET
    stop: bool = False


class ToolResultLine(HostLine, frozen=True, kw_only=True, tag="tool_result"):
    """The result of the host's tool for call ``id``: text, or text and image blocks."""

    id: str
    content: str | tuple[Text | Image, ...]
    is_error: bool = False


class ToolProgress(HostLine, frozen=True, kw_only=True, tag="tool_progress"):
    """How far the host's tool for call ``id`` is, in words."""

    id: str
    text: str


class Steer(HostLine, frozen=True, kw_only=True, tag="steer"):
    """One more user message for the turn in progress, taken at its next round."""

    text: str


class Interrupt(HostLine, frozen=True, kw_only=True, tag="interrupt"):
    """Stop turn ``turn`` (without it: the one in progress) and keep the session."""

    turn: str | UnsetType = UNSET


class Rewind(HostLine, frozen=True, kw_only=True, tag="rewind"):
    """Between turns: keep turn ``to``, forget what came after it; null forgets everything."""

    to: str | None


class Shutdown(HostLine, frozen=True, kw_only=True, tag="shutdown"):
    """The present turn finishes and stays answerable; no further one starts."""


Command = Answer | ToolResultLine | ToolProgress | Steer | Interrupt | Rewind | Shutdown
"""Everything that a host may write."""
