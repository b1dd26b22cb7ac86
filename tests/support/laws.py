"""What holds of every log of every run, whatever happened in it. Knows the events alone, not the core.

:class:`Witness` is shown each event as it is said and objects with an AssertionError.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from turnwire.protocol.content import Reasoning, Text, ToolResult, ToolUse
from turnwire.protocol.events import (
    Budget,
    Completion,
    End,
    HumanClosed,
    HumanRequest,
    Message,
    Notice,
    Ready,
    Rewound,
    Settled,
    TurnEnd,
)
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.protocol.people import Action, ClosedBy
from turnwire.protocol.rows import Row, RowStatus
from turnwire.protocol.usage import NOTHING_REPORTED, Usage, add_usage
from turnwire.runner.core.notices import STOPPING

_MAY_FOLLOW = {
    Role.USER: {Role.ASSISTANT, Role.TOOL},
    Role.ASSISTANT: {Role.USER, Role.TOOL},
    Role.TOOL: {Role.ASSISTANT, Role.TOOL},
}
"""Which roles may stand before a message: never two users or two assistants in a row. A user after results is
a steer; adapters of providers that refuse this order join the two."""

_OPEN = {RowStatus.PENDING, RowStatus.WAITING, RowStatus.RUNNING}


class Witness:
    """Sees all events of one run. ``permitted`` holds the calls that a verdict cleared."""

    def __init__(self) -> None:
        self.permitted: set[str] = set()
        self.open_requests: dict[str, HumanRequest] = {}
        self.grants: set[tuple[str, str]] = set()
        self._seq = 0
        self._at = 0
        self._budget = Budget()
        self._gate: Completion | None = None
        self._looks = 0
        self._passed = False
        self._transcript: list[TranscriptMessage] = []
        self._unanswered: list[str] = []
        self._ids: set[str] = set()
        self._turn: str | None = None
        self._turn_began_at = 0
        self._over: set[str] = set()
        self._stopping = False
        self._rows: dict[str, RowStatus] = {}
        self._kinds: dict[str, str] = {}
        self._started = 0
        self._rounds = 0
        self._usage = self._all_usage = NOTHING_REPORTED
        self._ended = False

    def see(self, event: Settled) -> None:
        assert not self._ended, "something follows the end"
        assert event.seq == self._seq + 1, "a gap in seq"
        assert event.at >= self._at
        self._seq, self._at = event.seq, event.at
        assert event.turn not in self._over, "an event of a turn that is over"
        match event:
            case Ready():
                self._budget, self._gate = event.budget, event.completion
            case Row():
                self._row(event)
            case Message():
                self._message(event)
            case Rewound():
                assert not self._unanswered
                assert event.messages <= len(self._transcript)
                del self._transcript[event.messages :]
            case HumanRequest():
                self._asked(event)
            case HumanClosed():
                self._closed(event)
            case Notice() if event.code == STOPPING:
                self._stopping = self._turn is not None
            case TurnEnd():
                self._turn_end(event)
            case End():
                self._end(event)
            case _:
                pass

    # --- rows

    def _row(self, row: Row) -> None:
        before = self._rows.get(row.id)
        assert isinstance(row.status, RowStatus)
        assert before is None or before in _OPEN, "a row changes after its end"
        self._rows[row.id] = row.status
        if before is None:
            self._opened(row)
        if row.status is RowStatus.RUNNING and self._kinds[row.id] == "tool":
            self._started_call(row.id, before)
        if row.status is RowStatus.DONE and self._kinds[row.id] == "round":
            self._rounds += 1
        if self._kinds[row.id] == "check":
            self._passed = row.status is RowStatus.DONE
        if isinstance(row.usage, Usage):
            assert self._kinds[row.id] == "round", "usage stands on a row that is no request"
            self._usage = add_usage(self._usage, row.usage)

    def _opened(self, row: Row) -> None:
        self._kinds[row.id] = str(row.kind)
        if row.kind == "turn":
            self._begin(row.id)
            return
        assert row.parent == self._turn, "a row that is no child of its turn"
        if row.kind == "round":
            self._started_round()
        if row.kind == "check":
            self._started_look()

    def _begin(self, turn: str) -> None:
        assert self._turn is None, "two turns at once"
        self._turn, self._stopping = turn, False
        self._turn_began_at = len(self._transcript)
        self._started = self._rounds = self._looks = 0
        self._passed = False
        self._usage = NOTHING_REPORTED

    def _started_call(self, call: str, before: RowStatus | None) -> None:
        assert not self._stopping, "a call starts in a turn that is being stopped"
        assert before in (RowStatus.PENDING, RowStatus.WAITING), "a call starts twice"
        assert call in self.permitted, "a call runs that nobody cleared"
        assert self._unanswered[0] == call, "a call starts out of order"
        assert _left(self._started, self._budget.max_tool_calls)
        self._started += 1

    def _started_round(self) -> None:
        assert not self._stopping, "a request starts in a turn that is being stopped"
        assert not self._unanswered, "a request starts before all calls have their results"
        assert self._transcript[-1].role is not Role.ASSISTANT, "the model is asked nothing"
        self._passed = False
        assert _left(self._rounds, self._budget.max_rounds)
        assert _left(self._usage.total or 0, self._budget.max_tokens)

    def _started_look(self) -> None:
        assert self._gate is not None, "a look without a gate"
        assert not self._stopping, "the gate looks in a turn that is being stopped"
        assert not self._unanswered, "the gate looks before all calls have their results"
        assert self._transcript[-1].role is not Role.USER, "the gate looks at no answer"
        self._looks += 1

    # --- messages

    def _message(self, said: Message) -> None:
        message = said.message
        assert said.index == len(self._transcript)
        before = self._transcript[-1].role if self._transcript else None
        if before is None:
            assert message.role is Role.USER, "the transcript does not start with the user"
        else:
            assert before in _MAY_FOLLOW[message.role], f"{message.role} after {before}"
        assert message.content, "an empty message"
        for block in message.content:
            self._block(message.role, block)
        if message.role is not Role.TOOL:
            assert not self._unanswered, "a call lacks its result"
            self._unanswered = [b.id for b in message.content if isinstance(b, ToolUse)]
        self._transcript.append(message)

    def _block(self, role: Role, block: object) -> None:
        match block:
            case ToolUse():
                assert role is Role.ASSISTANT
                assert block.id not in self._ids, "an id occurs twice"
                assert isinstance(json.loads(bytes(block.arguments)), dict)
                self._ids.add(block.id)
            case ToolResult():
                assert role is Role.TOOL
                assert block.content, "an empty result"
                assert self._unanswered.pop(0) == block.tool_use_id, "a result out of order"
            case Text():
                assert block.text.strip(), "a blank text"
            case _:
                assert isinstance(block, Reasoning)

    # --- people

    def _asked(self, request: HumanRequest) -> None:
        assert request.id not in self._ids
        self._ids.add(request.id)
        assert not (self._stopping and self._turn), "a person is asked after a stop"
        self.open_requests[request.id] = request

    def _closed(self, closed: HumanClosed) -> None:
        request = self.open_requests.pop(closed.id)
        if request.metadata is None or closed.by is not ClosedBy.HUMAN:
            return
        if closed.action is Action.ACCEPT:
            self.permitted.add(request.metadata.tool_use_id)
            if closed.scope == "session":
                key = request.metadata.tool_name, request.metadata.arguments_sha256
                self.grants.add(key)

    # --- endings

    def _turn_end(self, ended: TurnEnd) -> None:
        assert ended.turn == self._turn
        assert not self.open_requests, "a request outlives its turn"
        assert not self._unanswered, "a turn ends with a call that lacks its result"
        assert ended.attempts == self._looks
        if ended.status == "done" and self._gate is not None:
            assert self._passed, "done without the gate's leave"
        assert not [row for row, status in self._of_turn() if status in _OPEN], "an open row"
        assert ended.messages == len(self._transcript)
        assert ended.rounds == self._rounds
        assert ended.usage == self._usage
        if len(self._transcript) > self._turn_began_at:
            assert self._transcript[-1].role is Role.ASSISTANT, "the model has not spoken last"
        else:
            assert ended.status == "error", "a turn is forgotten that did not fail"
        if ended.status == "done":
            assert ended.stopped_by is None
            assert not ended.untaken
            assert not self._stopping
        self._over.add(ended.turn)
        self._turn, self._stopping = None, False
        self._all_usage = add_usage(self._all_usage, ended.usage)

    def _of_turn(self) -> Iterator[tuple[str, RowStatus]]:
        return ((row, s) for row, s in self._rows.items() if row.split(".")[0] == self._turn)

    def _end(self, end: End) -> None:
        assert self._turn is None
        assert not self.open_requests, "a request is never closed"
        assert end.last_seq == end.seq
        assert end.usage == self._all_usage
        assert (end.exit_code == 0) <= (end.status == "done")
        self._ended = True


def _left(used: float, limit: float | None) -> bool:
    return limit is None or used < limit
