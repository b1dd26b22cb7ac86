"""The one fold from events to what a surface shows; every surface draws from it.

Owns the state of a run as its host sees it: rows, transcript, who is asked what, how it ended.
Knows no drawing, no IO and no clock, and never fails on what a child says: what is out of date,
doubled or unknown changes nothing. Settled events alone give the same view as the live stream, save
for the text of what is still running.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from turnwire.protocol.codec import Unknown
from turnwire.protocol.events import (
    Delta,
    End,
    Event,
    Hello,
    Message,
    Notice,
    Part,
    Ready,
    Refused,
    Rewound,
    Row,
    Settled,
    ToolClosed,
    ToolRequest,
    TurnEnd,
)
from turnwire.protocol.live import LiveText
from turnwire.protocol.people import HumanClosed, HumanRequest
from turnwire.protocol.rows import Port, RowKind
from turnwire.protocol.tree import RowState, RowTree
from turnwire.protocol.usage import NOTHING_REPORTED, Usage, add_usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ClosedRequest", "Exchange", "View"]


class ClosedRequest(msgspec.Struct, frozen=True):
    """A request that is open no more, and what closed it. ``request`` is ``None`` where the
    question was never seen.
    """

    request: HumanRequest | None
    closed: HumanClosed


class Exchange(msgspec.Struct, frozen=True):
    """One turn in the transcript: its messages, the text that its running rounds have said so far,
    and its end, ``None`` as long as there is none.
    """

    turn: str | None
    messages: tuple[Message, ...]
    running: str
    end: TurnEnd | None


class View:
    """What a surface shows of one session. Feed it with :meth:`apply`, as the events come."""

    def __init__(self) -> None:
        self._last_seq = 0
        self._hello: Hello | None = None
        self._ready: Ready | None = None
        self._end: End | None = None
        self._tree = RowTree()
        self._live = LiveText()
        self._turns: dict[str | None, TurnEnd | None] = {}
        self._messages: dict[int, Message] = {}
        self._recorded: set[str] = set()
        self._requests: dict[str, HumanRequest] = {}
        self._closed: dict[str, ClosedRequest] = {}
        self._tools: dict[str, ToolRequest] = {}
        self._shown: list[HumanRequest] = []
        self._notices: list[Notice] = []
        self._refusals: list[Refused] = []

    # --- what happened ----------------------------------------------------------------------------

    def apply(self, event: Event | Unknown) -> bool:
        """Take the next event; say whether it was new and known."""
        if isinstance(event, Delta):
            return self._delta(event)
        if isinstance(event, Part) or event.seq is None or event.seq <= self._last_seq:
            return False
        self._last_seq = event.seq
        if isinstance(event, Unknown):
            return False
        self._settled(event)
        return True

    def _settled(self, event: Settled) -> None:
        match event:
            case Row():
                self._row(event)
            case Message():
                self._message(event)
            case Rewound():
                kept = {i: said for i, said in self._messages.items() if i < event.messages}
                self._messages = kept
            case HumanRequest():
                self._human_request(event)
            case HumanClosed():
                request = self._requests.pop(event.id, None)
                self._closed.setdefault(event.id, ClosedRequest(request, event))
            case ToolRequest():
                self._tools[event.id] = event
            case ToolClosed():
                self._tools.pop(event.id, None)
            case Notice():
                self._notices.append(event)
            case Refused():
                self._refusals.append(event)
            case _:
                self._milestone(event)

    def _milestone(self, event: Settled) -> None:
        match event:
            case Hello():
                self._hello, self._end = event, None
                self._live.clear()
            case Ready():
                self._ready = event
            case TurnEnd():
                self._turns[event.turn] = event
            case End():
                self._end = event
                self._live.clear()
            case _:
                pass

    def _delta(self, delta: Delta) -> bool:
        row = self._tree.rows.get(delta.row)
        if row is None or row.settled or row.id in self._recorded:
            return False
        self._live.add(delta)
        return True

    def _row(self, line: Row) -> None:
        row = self._tree.upsert(line)
        if row.settled:
            self._live.drop(row.id)
        if row.kind == RowKind.TURN and row.parent is None:
            self._turns.setdefault(row.id, None)

    def _message(self, said: Message) -> None:
        self._messages[said.index] = said
        self._turns.setdefault(said.turn or None, None)
        if said.row is not None:
            self._recorded.add(said.row)
            self._live.drop(said.row)

    def _human_request(self, request: HumanRequest) -> None:
        if not request.expects_response:
            self._shown.append(request)
        elif request.id not in self._closed:
            self._requests[request.id] = request

    # --- how things stand -------------------------------------------------------------------------

    @property
    def last_seq(self) -> int:
        """The number of the newest settled event, 0 before the first."""
        return self._last_seq

    @property
    def hello(self) -> Hello | None:
        """Who speaks; of a resumed session the newest child."""
        return self._hello

    @property
    def ready(self) -> Ready | None:
        """The model, the tools and the limits, once they are loaded."""
        return self._ready

    @property
    def end(self) -> End | None:
        """How the run ended, ``None`` while it lasts."""
        return self._end

    @property
    def usage(self) -> Usage:
        """What has been used: what ``end`` says, before it the sum over the rounds."""
        if self._end is not None:
            return self._end.usage
        total = NOTHING_REPORTED
        for row in self._tree.rows.values():
            if row.kind == RowKind.ROUND and row.usage is not None:
                total = add_usage(total, row.usage)
        return total

    @property
    def rows(self) -> Mapping[str, RowState]:
        """All rows by id, in the order in which they were opened."""
        return self._tree.rows

    def children(self, row: str) -> tuple[RowState, ...]:
        """Give the rows right under ``row``, in order."""
        return self._tree.children(row)

    def walk(self) -> Iterator[tuple[int, RowState]]:
        """Give each row once, with its depth, in the order in which a tree is drawn."""
        return self._tree.walk()

    def live(self, row: str, port: Port, call_index: int | None = None) -> str:
        """Give what a running row has said so far on ``port``, nothing once it has settled."""
        return self._live.text(row, port, call_index)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The transcript's messages, in order."""
        return tuple(self._messages[index] for index in sorted(self._messages))

    def transcript(self) -> tuple[Exchange, ...]:
        """Give the transcript by turns; a turn that ended without a message is left out."""
        said: dict[str | None, list[Message]] = {turn: [] for turn in self._turns}
        for message in self.messages:
            said[message.turn or None].append(message)
        return tuple(
            Exchange(turn, tuple(said[turn]), self._running(turn), end)
            for turn, end in self._turns.items()
            if said[turn] or end is None
        )

    def _running(self, turn: str | None) -> str:
        rounds = self._tree.children(turn) if turn is not None else ()
        texts = (self._live.text(row.id, Port.TEXT) for row in rounds if row.kind == RowKind.ROUND)
        return "".join(texts)

    @property
    def open_requests(self) -> Mapping[str, HumanRequest]:
        """What a person is asked and has not answered, by id; of several steps the newest."""
        return MappingProxyType(self._requests)

    @property
    def closed_requests(self) -> Mapping[str, ClosedRequest]:
        """What a person was asked, by id, and what closed it."""
        return MappingProxyType(self._closed)

    def requests_on(self, row: str) -> tuple[HumanRequest, ...]:
        """Give the open requests that belong on the card of ``row``."""
        return tuple(request for request in self._requests.values() if request.row == row)

    @property
    def shown(self) -> tuple[HumanRequest, ...]:
        """What a person was told or shown without being asked."""
        return tuple(self._shown)

    @property
    def open_tools(self) -> Mapping[str, ToolRequest]:
        """The calls that this host is to run and has not settled, by id."""
        return MappingProxyType(self._tools)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person may want to know."""
        return tuple(self._notices)

    @property
    def refusals(self) -> tuple[Refused, ...]:
        """The lines of this host that were refused."""
        return tuple(self._refusals)
