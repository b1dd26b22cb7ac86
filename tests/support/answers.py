"""What comes of one request to the chat completions adapter that a real server answers as told."""

from __future__ import annotations

from support.model_server import ModelServer
from support.model_steps import Reply, Step
from support.talk import Listener, ask, openai

from turnwire.runner.core.ports import ModelOutcome


async def asked(
    *steps: Step, listener: Listener | None = None, first: float = 10.0, idle: float = 10.0
) -> ModelOutcome:
    """What comes of one request that is answered with ``steps``."""
    with ModelServer([Reply(steps)]) as server:
        model = openai(server.base_url, first=first, idle=idle)
        try:
            return await ask(model, listener=listener)
        finally:
            await model.aclose()


async def answered(reply: Reply) -> ModelOutcome:
    with ModelServer([reply]) as server:
        model = openai(server.base_url)
        try:
            return await ask(model)
        finally:
            await model.aclose()
