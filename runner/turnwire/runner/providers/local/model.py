"""The embedded model as the loop knows it: a server that starts with the first request, and a chat
completions endpoint from then on.

Owns when the server starts and ends. What is said to it is ``openai_chat``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from turnwire.runner.core.ports import LivePort, ModelFault, ModelOutcome, ModelRequest
from turnwire.runner.providers.errors import CannotOpen, provider_error
from turnwire.runner.providers.local.model_file import find_model
from turnwire.runner.providers.local.server import check_installed, serve
from turnwire.runner.providers.network import Network
from turnwire.runner.providers.openai_chat import OpenAIChat

__all__ = ["LocalModel"]


class LocalModel:
    """One conversation with the embedded model, in a server of its own."""

    name = "local"

    def __init__(self, folder: Path, *, environment: Mapping[str, str]) -> None:
        """Look for what it needs; the file may have been pulled into ``folder``.

        The server sees no more than ``environment``. LocalModelMissing: run what the message says.
        """
        check_installed()
        self._file = find_model(folder)
        self._environment = environment
        self._open = AsyncExitStack()
        self._chat: OpenAIChat | None = None

    async def reply(
        self, request: ModelRequest, port: LivePort, stopped: Callable[[ModelFault], None]
    ) -> ModelOutcome:
        """Make one request; see :class:`turnwire.runner.core.ports.Model`."""
        try:
            chat = self._chat or await self._start()
        except CannotOpen as wrong:
            return ModelFault(error=provider_error(wrong.code, wrong.message, retryable=False))
        return await chat.reply(request, port, stopped)

    async def aclose(self) -> None:
        """Close the connection and end the server."""
        await self._open.aclose()

    async def _start(self) -> OpenAIChat:
        served = serve(self._file, environment=self._environment)
        base_url = await self._open.enter_async_context(served)
        # No proxy of the environment stands between a machine and itself.
        chat = OpenAIChat(self.name, "local", base_url=base_url, key=None, network=Network())
        self._open.push_async_callback(chat.aclose)
        self._chat = chat
        return chat
