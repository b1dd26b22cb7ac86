"""Messages of the transcript."""

from __future__ import annotations

from turnwire.protocol.content import Reasoning, Text
from turnwire.protocol.messages import Role, TranscriptMessage, text_of


def test_T2_text_of_a_message_is_its_text_blocks() -> None:
    content = (Text(text="one"), Reasoning(text="hm"), Text(text=" two"))
    assert text_of(TranscriptMessage(role=Role.ASSISTANT, content=content)) == "one two"
