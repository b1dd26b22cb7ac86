"""The blocks of a reply while it comes in, and which call a piece of a call belongs to. Pure.

Owns the rules for pieces of calls; ``assemble`` owns the reply as a whole.

* A call is opened by a piece on a slot that is not in use, by a new id together with a name (A04),
and by another name once arguments came (A05). The same id on two slots makes two calls (A08). * Any
other piece continues: the call on its slot, without a slot the one with its id, with neither the
one that was opened last (A02). * An empty id is none (A10). A name that is said again is the same
name (A11).
"""

from __future__ import annotations

from collections.abc import Iterator

from turnwire.protocol.rows import Port
from turnwire.protocol.text import well_formed
from turnwire.runner.core.ports import ProposedCall
from turnwire.runner.providers.arguments import (
    MOST_SEAMS,
    NO_ARGUMENTS,
    Arguments,
    read_arguments,
    split_objects,
)
from turnwire.runner.providers.surrogates import Mender

__all__ = ["Block", "Call", "CallPiece", "Calls", "proposals"]

_CUT_OFF = Arguments(NO_ARGUMENTS, "the arguments are truncated: the reply was cut off")


class CallPiece:
    """A piece of a call as an adapter found it. ``slot`` is the provider's index, if it has one."""

    __slots__ = ("arguments", "id", "name", "slot")

    def __init__(
        self,
        slot: int | str | None = None,
        *,
        id: str | None = None,  # noqa: A002
        name: str | None = None,
        arguments: str | None = None,
    ) -> None:
        self.slot = slot
        self.id = id or None
        self.name = name or None
        self.arguments = arguments or ""

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.id or self.name or self.arguments)


class Block:
    """What belongs together: a run of text or of thoughts, or one call's arguments."""

    def __init__(self, port: Port, call_index: int | None = None) -> None:
        self.port = port
        self.call_index = call_index
        self.parts: list[str] = []
        self.mender = Mender()

    def text(self) -> str:
        """Join what has come."""
        return "".join(self.parts)


class Call(Block):
    """A call that is being proposed."""

    def __init__(self, call_index: int) -> None:
        super().__init__(Port.ARGUMENTS, call_index)
        self.id: str | None = None
        self.name = ""
        self.length = 0
        self.seams: list[int] = []

    def continues_with(self, piece: CallPiece) -> bool:
        """Say whether ``piece``, by its slot or its id a piece of this call, is not another one's
        first.
        """
        if piece.name is None:
            return True
        another_id = piece.id is not None and self.id is not None and piece.id != self.id
        another_name = self.length > 0 and piece.name != self.name
        return not (another_id or another_name)

    def take(self, piece: CallPiece) -> None:
        """Take id, name and the length of the arguments of ``piece``."""
        self.id = self.id or piece.id
        if piece.name is not None:
            self._take_name(piece.name)
        self.length += len(piece.arguments)

    def _take_name(self, name: str) -> None:
        if self.length:
            if len(self.seams) < MOST_SEAMS:
                self.seams.append(self.length)
        elif name.startswith(self.name):
            # Said again, whole or growing; any other piece of a name is its continuation.
            self.name = name
        else:
            self.name += name


class Calls:
    """The calls of one reply, in the order in which they were opened."""

    def __init__(self) -> None:
        self.opened: list[Call] = []
        self._slots: dict[int | str, Call] = {}

    def find(self, piece: CallPiece) -> Call | None:
        """Find the call that ``piece`` continues, or None if it opens one."""
        call = self._candidate(piece)
        return call if call is not None and call.continues_with(piece) else None

    def open(self, piece: CallPiece) -> Call:
        """Open the call whose first piece is ``piece``."""
        call = Call(len(self.opened))
        self.opened.append(call)
        if piece.slot is not None:
            self._slots[piece.slot] = call
        return call

    def _candidate(self, piece: CallPiece) -> Call | None:
        if piece.slot is not None:
            return self._slots.get(piece.slot)
        same_id = (call for call in reversed(self.opened) if call.id == piece.id)
        found = next(same_id, None) if piece.id is not None else None
        if found is None and (piece.id is None or piece.name is None) and self.opened:
            return self.opened[-1]
        return found


def proposals(call: Call, *, cut: bool) -> Iterator[ProposedCall]:
    """Give what ``call`` came to: one call, or several that a server sent on one slot.

    ``cut`` says that the provider cut the reply: what is not complete then is never taken as
    finished.
    """
    text = call.text()
    read = read_arguments(text)
    if cut and (read.invalid is not None or not text.strip()):
        yield _proposed(call, _CUT_OFF)
    elif read.invalid is None or not call.seams:
        yield _proposed(call, read)
    else:
        for part in split_objects(text, call.seams):
            yield _proposed(call, read_arguments(part))


def _proposed(call: Call, arguments: Arguments) -> ProposedCall:
    return ProposedCall(
        name=well_formed(call.name),
        arguments=arguments.json,
        invalid=arguments.invalid,
        provider_call_id=None if call.id is None else well_formed(call.id),
    )
