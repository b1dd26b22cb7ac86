"""A run as a person reads it: each event that matters as a line, in the order in which it came.

Owns the words. Everything that a child says is made safe to show before it is written.
"""

from __future__ import annotations

from turnwire.hosts.demo.screen import Screen
from turnwire.protocol.codec import Unknown
from turnwire.protocol.events import (
    Delta,
    End,
    Event,
    Hello,
    HumanClosed,
    HumanRequest,
    Message,
    Notice,
    Ready,
    Row,
)
from turnwire.protocol.prompt import Approval, present
from turnwire.protocol.rows import Port, RowKind, RowStatus
from turnwire.protocol.text import visible
from turnwire.protocol.tree import RowState
from turnwire.protocol.usage import Usage
from turnwire.protocol.view import View

__all__ = ["Teller"]

_PREVIEW = 64

_LOOKS = {RowStatus.RUNNING: ("›", "dim"), RowStatus.DONE: ("✓", "good")}
_ENDED_BADLY = ("✗", "bad")
_UNTOLD = frozenset({RowStatus.PENDING, RowStatus.WAITING})
"""A call that waits for a person has its card."""


class Teller:
    """Tells the events of one run on ``screen``."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._view = View()
        self._shown: dict[str, RowStatus | None] = {}

    def tell(self, event: Event | Unknown) -> None:
        """Write what there is to say about ``event``."""
        self._view.apply(event)
        match event:
            case Delta(port=Port.TEXT):
                self._screen.piece(visible(event.text))
            case Row():
                self._row(self._view.rows[event.id])
            case HumanRequest():
                self._question(event)
            case HumanClosed():
                self._closed(event)
            case _:
                self._milestone(event)

    def _milestone(self, event: Event | Unknown) -> None:
        match event:
            case Hello():
                child = f"{event.runner.name} {event.runner.version}, process {event.runner.pid}"
                self._screen.line(visible(f"hello   {child}, protocol {event.protocol}"), "dim")
            case Ready():
                tools = (f"{tool.name}{' (asks)' if tool.asks else ''}" for tool in event.tools)
                self._screen.line(visible(f"ready   tools: {', '.join(tools)}"), "dim")
                self._screen.line()
            case Message():
                self._screen.break_line()
            case Notice():
                self._screen.line(f"note    {visible(event.message)}", "dim")
            case End():
                self._end(event)
            case _:
                pass

    def _row(self, row: RowState) -> None:
        if row.kind != RowKind.TOOL or row.call is None or row.status is None:
            return
        if row.status in _UNTOLD or self._shown.get(row.id) is row.status:
            return
        self._shown[row.id] = row.status
        mark, style = _LOOKS.get(row.status, _ENDED_BADLY)
        told = f"{mark} {_short(row.call.name):<5} {row.status.value:<7} {_detail(row)}"
        self._screen.line(told.rstrip(), style)
        if row.settled:
            self._screen.line()

    def _question(self, request: HumanRequest) -> None:
        drawn = present(request)
        lines = drawn.lines if isinstance(drawn, Approval) else ()
        self._screen.line()
        self._screen.card(drawn.message, lines)

    def _closed(self, closed: HumanClosed) -> None:
        action = "unanswered" if closed.action is None else closed.action.value
        self._screen.line(f"closed  {action}, by {closed.by.value}", "wait")

    def _end(self, end: End) -> None:
        rounds = sum(row.kind == RowKind.ROUND for row in self._view.rows.values())
        told = f"{end.status.value}, exit code {end.exit_code}"
        self._screen.line()
        self._screen.line(f"end     {told}; {rounds} model requests{_tokens(end.usage)}", "bold")


def _detail(row: RowState) -> str:
    if row.denied_by is not None:
        return f"by {row.denied_by.value}"
    if row.result is not None:
        first, *rest = row.result.preview.strip().split("\n")
        return _short(" ".join(first.split())) + (f"  (+{len(rest)} lines)" if rest else "")
    return "" if row.call is None else _short(row.call.preview)


def _short(text: str) -> str:
    return visible(text if len(text) <= _PREVIEW else f"{text[: _PREVIEW - 2]} …")


def _tokens(usage: Usage) -> str:
    if usage.input is None or usage.output is None:
        return ""
    return f", {usage.input:,} tokens in, {usage.output:,} out"
