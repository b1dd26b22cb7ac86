"""Pieces of one reply, in whatever order and cut, to one message. Pure.

Owns what is told live and when a reply is whole:

* It is whole if the provider said why it ended. * If the provider only marked the end of its
stream, the reply is whole when it holds text or calls and each call has a complete object; the core
is told that the end was inferred. * Else it was cut off: nothing of it runs, and it may be asked
for again (A25, A26). * Arguments that never came are ``{}`` only in a reply that is whole and was
not cut at a limit (A13).

Which piece belongs to which call is decided in ``blocks``. Knows no provider's format and makes no
requests; adapters feed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from turnwire.protocol.content import Reasoning, Text
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.rows import Port
from turnwire.protocol.usage import NOTHING_REPORTED, Usage
from turnwire.runner.core.ports import Finish, ModelFault, ModelOutcome, ModelReply, ProposedCall
from turnwire.runner.providers.blocks import Block, Call, CallPiece, Calls, proposals
from turnwire.runner.providers.errors import ProviderFault, provider_error

__all__ = ["LONGEST_REPLY_CHARACTERS", "Assembly", "Tell"]

LONGEST_REPLY_CHARACTERS = 64 * 1024 * 1024
"""Far beyond what any model says in one reply."""

_BLOCK_COST = 1024
"""Characters that a block counts as: about its memory, so that endless empty calls end too."""

_CUT = frozenset({Finish.LENGTH, Finish.CONTENT_FILTER})
_INFERRED_END = (
    "The provider did not say why its reply ended; it is complete and was taken as it is."
)

Tell = Callable[[Port, str, int | None], None]
"""``LivePort.delta``."""


class Assembly:
    """One reply as it comes in.

    ``tell`` hears what is new, in the order in which the model said it, at each :meth:`flush` and
    whenever the model goes over to another block; what comes in between is told in one piece.
    """

    def __init__(self, tell: Tell) -> None:
        self.finish: Finish | None = None
        """Why the provider said that the reply ended, once it did."""
        self.ended = False
        """Whether the provider marked the end of its stream."""
        self._tell = tell
        self._blocks: list[Block] = []
        self._calls = Calls()
        self._speaking: Block | None = None
        self._untold: list[str] = []
        self._size = 0
        self._refused = False

    # --- pieces in --------------------------------------------------------------------------------

    def text(self, piece: str) -> None:
        """Take a piece of the answer."""
        self._say(Port.TEXT, piece)

    def reasoning(self, piece: str) -> None:
        """Take a piece of what the model thought."""
        self._say(Port.REASONING, piece)

    def refusal(self, piece: str) -> None:
        """Take a piece of a refusal: it is text, and the reply counts as refused (A65)."""
        self._refused = self._refused or bool(piece)
        self._say(Port.TEXT, piece)

    def call(self, piece: CallPiece) -> None:
        """Take a piece of a call; one that says nothing opens none."""
        call = self._calls.find(piece)
        if call is None and not piece:
            return
        if call is None:
            call = self._calls.open(piece)
            self._append(call)
        call.take(piece)
        if piece.arguments:
            self._speak(call)
            self._untold.append(piece.arguments)

    def flush(self) -> None:
        """Tell what was not told yet. ProviderFault: the reply has grown beyond all bounds."""
        block = self._speaking
        if block is not None and self._untold:
            piece = block.mender.mend("".join(self._untold))
            self._untold.clear()
            self._add(block, piece)

    # --- the reply out ----------------------------------------------------------------------------

    def text_so_far(self) -> str:
        """Give the text that has been told; calls and thoughts are left out."""
        return "".join(block.text() for block in self._blocks if block.port is Port.TEXT)

    def outcome(self, usage: Usage = NOTHING_REPORTED) -> ModelOutcome:
        """Give the reply if it is whole, else the fault that it was cut off; see the module's
        rules.
        """
        self._end_block()
        for call in self._calls.opened:
            self._add(call, call.mender.close())
        content = tuple(self._content())
        finish, note = self.finish, None
        if finish is None and self.ended and self._looks_whole(content):
            finish, note = Finish.STOP, _INFERRED_END
        if finish is None:
            message = "The provider's answer ended before the provider said that it was finished."
            error = provider_error(ErrorCode.BAD_STREAM, message, retryable=True)
            return ModelFault(error=error, usage=usage, partial=self.text_so_far())
        if finish is Finish.STOP and self._refused:
            finish = Finish.REFUSAL
        return ModelReply(content=content, finish=finish, usage=usage, note=note)

    def _content(self) -> Iterator[Text | Reasoning | ProposedCall]:
        for block in self._blocks:
            if isinstance(block, Call):
                yield from proposals(block, cut=self.finish in _CUT)
            elif block.port is Port.TEXT:
                yield Text(text=block.text())
            else:
                yield Reasoning(text=block.text())

    def _looks_whole(self, content: tuple[Text | Reasoning | ProposedCall, ...]) -> bool:
        said = [block for block in content if not isinstance(block, Reasoning)]
        sound = all(isinstance(block, Text) or block.invalid is None for block in said)
        return bool(said) and sound and all(call.text().strip() for call in self._calls.opened)

    # --- which block ------------------------------------------------------------------------------

    def _say(self, port: Port, piece: str) -> None:
        if not piece:
            return
        last = self._blocks[-1] if self._blocks else None
        if last is None or last.port is not port:
            last = self._append(Block(port))
        if last is not self._speaking:
            self._speak(last)
        self._untold.append(piece)

    def _append(self, block: Block) -> Block:
        self._grow(_BLOCK_COST)
        self._blocks.append(block)
        return block

    def _speak(self, block: Block) -> None:
        if block is not self._speaking:
            self._end_block()
            self._speaking = block

    def _end_block(self) -> None:
        """A call may be spoken of again; text that is left is over, and a half that waits stays
        alone.
        """
        self.flush()
        block = self._speaking
        if block is not None and block.port is not Port.ARGUMENTS:
            self._add(block, block.mender.close())

    def _add(self, block: Block, piece: str) -> None:
        if piece:
            self._grow(len(piece))
            block.parts.append(piece)
            self._tell(block.port, piece, block.call_index)

    def _grow(self, characters: int) -> None:
        self._size += characters
        if self._size > LONGEST_REPLY_CHARACTERS:
            message = f"The reply is longer than {LONGEST_REPLY_CHARACTERS:,} characters."
            raise ProviderFault(provider_error(ErrorCode.BAD_STREAM, message, retryable=False))
