"""How the world looks: the state of a session, all of it derived from its events.

Owns the shapes. How they change is in ``evolve``; what may happen next is in ``machine``.
"""

from __future__ import annotations

import enum

import msgspec

from turnwire.protocol.endings import Status, StoppedBy
from turnwire.protocol.events import Budget, Completion, HumanRequest
from turnwire.protocol.faults import WireError
from turnwire.protocol.messages import TranscriptMessage
from turnwire.protocol.people import ClosedBy
from turnwire.protocol.usage import NOTHING_REPORTED, Usage

__all__ = ["Call", "Ending", "Phase", "Run", "Sameness", "Turn", "TurnMark"]


class Ending(msgspec.Struct, frozen=True):
    """How a turn or a run is going to end, or has ended."""

    status: Status
    stopped_by: StoppedBy | None = None
    error: WireError | None = None


class Phase(enum.Enum):
    """How far a call is."""

    PROPOSED = "proposed"
    """The model wants it; it is under review."""
    WAITING = "waiting"
    """A person is asked."""
    CLEARED = "cleared"
    """It may run when its turn comes."""
    RUNNING = "running"
    """It was started."""
    SETTLED = "settled"
    """It has its outcome."""


class Call(msgspec.Struct, frozen=True):
    """A call of the present reply. ``held`` is the result of a call that never ran and whose message has to
    wait for those before it; ``recorded`` says that its result is in the transcript.
    """

    id: str
    name: str
    arguments: bytes
    digest: str
    invalid: str | None = None
    phase: Phase = Phase.PROPOSED
    held: str | None = None
    recorded: bool = False


class Sameness(msgspec.Struct, frozen=True):
    """The newest call, its arguments and its result, and how often in a row they were the same."""

    signature: tuple[str, str, int] | None = None
    times: int = 0


class Turn(msgspec.Struct, frozen=True):
    """A turn in progress.

    ``first_message`` is the index of its first message. ``rounds`` counts requests that gave a reply,
    ``round_rows`` all attempts; ``tries`` the failed ones in a row, ``empties`` the empty replies. ``round`` is
    the open round row, ``retry_at`` when the next attempt may start. ``check`` is the open row of the
    completion gate, ``attempts`` counts its looks, ``verified`` is what it said since the last round, if it
    looked. Times are milliseconds.
    """

    id: str
    started_at: int
    first_message: int
    rounds: int = 0
    round_rows: int = 0
    round: str | None = None
    tries: int = 0
    empties: int = 0
    retry_at: int | None = None
    calls: tuple[Call, ...] = ()
    call_count: int = 0
    ran: int = 0
    texts: tuple[str, ...] = ()
    usage: Usage = NOTHING_REPORTED
    denials: int = 0
    denied: tuple[tuple[str, str, str], ...] = ()
    steers: tuple[str, ...] = ()
    same: Sameness = Sameness()
    stopping: Ending | None = None
    check: str | None = None
    attempts: int = 0
    verified: bool | None = None
    waited: int = 0
    waiting_since: int | None = None


class TurnMark(msgspec.Struct, frozen=True):
    """A turn that is over and how long the transcript was at its end."""

    id: str
    messages: int


class Run(msgspec.Struct, frozen=True):
    """The state of a session in this process.

    ``chat`` comes from the command line, everything else from the events. ``absence`` says why nobody can
    answer, None while somebody can. ``grants`` are pairs of tool and arguments digest. ``last`` is how the
    newest turn ended, ``stopping`` how the run is going to end; ``closing`` says that the host wants no
    further turn.
    """

    chat: bool = False
    session: str | None = None
    seq: int = 0
    absence: ClosedBy | None = ClosedBy.NO_ANSWERER
    ready: bool = False
    completion: Completion | None = None
    budget: Budget = Budget()
    messages: tuple[TranscriptMessage, ...] = ()
    turn: Turn | None = None
    turns: tuple[TurnMark, ...] = ()
    turn_count: int = 0
    request_count: int = 0
    requests: tuple[HumanRequest, ...] = ()
    usage: Usage = NOTHING_REPORTED
    denials: int = 0
    denied_in_absence: bool = False
    grants: frozenset[tuple[str, str]] = frozenset()
    last: Ending | None = None
    stopping: Ending | None = None
    closing: bool = False
    exit_code: int | None = None

    @property
    def ended(self) -> bool:
        """Whether ``end`` was said."""
        return self.exit_code is not None

    @property
    def answerable(self) -> bool:
        """Whether somebody can answer."""
        return self.absence is None
