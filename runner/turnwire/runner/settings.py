"""What a run was asked for: the flags and the file, resolved. The only room that reads the environment.

Cheap to import: it is needed before the first line. Which value wins (flag, then file, then default) is
decided by the command line's parser; what a file may not say is decided here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = [
    "BUDGET_KEYS",
    "COMMAND_LINE_ONLY",
    "BadSettings",
    "RunSettings",
    "api_key",
    "environment",
    "environment_for_tools",
    "split_config",
]


class BadSettings(Exception):
    """The flags, the file or the environment ask for something that cannot be."""


class RunSettings(NamedTuple):
    """One run, as it was asked for. Sizes are bytes, times seconds, None is "not given" or "no limit"."""

    prompt: str | None
    prompt_file: str | None
    chat: bool
    model: str
    base_url: str | None
    api_key_env: str | None
    allow_insecure_http: bool
    system: str | None
    tools: tuple[str, ...]
    tools_from_file: bool
    allow_path: tuple[str, ...]
    approval: str
    ask: tuple[str, ...]
    no_ask: tuple[str, ...]
    answers_fd: int | None
    answers_stdin: bool
    deltas: bool
    max_line_bytes: int
    host_stall_seconds: float
    format: str
    session_dir: str | None
    no_session: bool
    max_result_chars: int
    protocol: int | None
    max_rounds: int | None
    max_tokens: int | None
    max_tool_calls: int | None
    max_seconds: float | None
    max_cost: float | None
    max_identical_calls: int | None
    verify_cmd: str | None
    max_attempts: int | None
    passed_over: tuple[str, ...] = ()

    @property
    def answers(self) -> str:
        """Where answers come in, as ``hello`` says it."""
        if self.answers_stdin:
            return "stdin"
        return "none" if self.answers_fd is None else "fd"


BUDGET_KEYS = (
    "max_rounds",
    "max_tokens",
    "max_tool_calls",
    "max_seconds",
    "max_cost",
    "max_identical_calls",
)
"""The settings that are limits of a turn."""

COMMAND_LINE_ONLY = frozenset(
    {
        "allow_path",
        "allow_insecure_http",
        "answers_fd",
        "answers_stdin",
        "no_ask",
        "prompt",
        "protocol",
        "verify_cmd",
    }
)
"""What a file cannot say: it would widen what a run may do, or is about this one process (spec/approval.md)."""

_KEY_VARIABLES = ("OPENAI_API_KEY",)
_SECRET_ENDINGS = ("_API_KEY", "_APIKEY", "_ACCESS_TOKEN", "_SECRET", "_SECRET_KEY", "_PASSWORD")


def split_config(
    values: Mapping[str, Any], known: frozenset[str]
) -> tuple[dict[str, Any], list[str]]:
    """Split a configuration file into what counts and what is passed over, in words.

    Keys are the flags without their dashes. A key that is no flag raises :class:`BadSettings`.
    """
    kept: dict[str, Any] = {}
    passed_over: list[str] = []
    for written, value in values.items():
        name = written.replace("-", "_")
        if name not in known:
            raise BadSettings(f"the configuration has a key that is no setting: {written!r}")
        if name in COMMAND_LINE_ONLY or (name, value) == ("approval", "never"):
            passed_over.append(f"{written} = {value!r} counts only on the command line")
        else:
            kept[name] = value
    return kept, passed_over


def api_key(settings: RunSettings) -> str | None:
    """Read the key from the variable that ``--api-key-env`` names, or from the provider's usual one.

    A usual key goes to the provider's usual address only: with ``--base-url`` it must be named.
    """
    if settings.api_key_env is not None:
        value = os.environ.get(settings.api_key_env)
        if not value:
            raise BadSettings(f"the variable {settings.api_key_env} (--api-key-env) is not set")
        return value
    if settings.base_url is not None:
        return None
    return next((os.environ[name] for name in _KEY_VARIABLES if os.environ.get(name)), None)


def environment_for_tools(settings: RunSettings) -> dict[str, str]:
    """Give the environment that tools see: without keys, by their names and by their values."""
    secrets = {os.environ[name] for name in _KEY_VARIABLES if os.environ.get(name)}
    if settings.api_key_env and os.environ.get(settings.api_key_env):
        secrets.add(os.environ[settings.api_key_env])
    return {
        name: value
        for name, value in os.environ.items()
        if value not in secrets and not name.upper().endswith(_SECRET_ENDINGS)
    }


def environment() -> Mapping[str, str]:
    """Give the whole environment, for what of it says how to reach the network."""
    return os.environ
