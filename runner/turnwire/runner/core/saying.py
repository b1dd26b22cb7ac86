"""Words that the loop itself puts into the transcript, so that its roles keep the order that strict providers
ask for (T18).
"""

from __future__ import annotations

from turnwire.protocol.content import Text
from turnwire.protocol.events import Message
from turnwire.protocol.messages import Role, TranscriptMessage
from turnwire.runner.core.telling import Telling

__all__ = ["say_assistant", "say_user", "user_spoke_last"]


def user_spoke_last(telling: Telling) -> bool:
    """Say whether the model has still to answer a user's message."""
    return telling.run.messages[-1].role is Role.USER


def say_user(telling: Telling, text: str) -> None:
    """Append a message of the user."""
    message = TranscriptMessage(role=Role.USER, content=(Text(text=text),))
    telling.say(Message, index=len(telling.run.messages), message=message)


def say_assistant(telling: Telling, text: str, row: str | None) -> None:
    """Append what stands for an answer of the model: the beginning of one, or words of ours."""
    message = TranscriptMessage(role=Role.ASSISTANT, content=(Text(text=text),))
    telling.say(Message, index=len(telling.run.messages), message=message, row=row, partial=True)
