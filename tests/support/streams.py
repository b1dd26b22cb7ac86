"""Reads a recorded stream as the adapter does, without any network."""

from __future__ import annotations

from collections.abc import Sequence

from support.talk import Listener

from turnwire.runner.core.ports import ModelFault, ModelOutcome
from turnwire.runner.providers.assemble import Assembly
from turnwire.runner.providers.errors import ProviderFault
from turnwire.runner.providers.openai_reply import ReplyReader
from turnwire.runner.providers.openai_usage import usage_of
from turnwire.runner.providers.sse import EventStream


def read_chunks(chunks: Sequence[bytes], listener: Listener | None = None) -> ModelOutcome:
    """Give what comes of a stream that arrives in ``chunks`` and then ends."""
    listener = listener or Listener()
    assembly = Assembly(listener.delta)
    reader = ReplyReader(assembly, remark=lambda words: listener.notice("habit", words), key=None)
    events = EventStream()
    try:
        for chunk in chunks:
            reader.feed(events.feed(chunk))
        reader.close(events.close())
        return assembly.outcome(usage_of(reader.usage))
    except ProviderFault as fault:
        return ModelFault(error=fault.error, partial=assembly.text_so_far())
