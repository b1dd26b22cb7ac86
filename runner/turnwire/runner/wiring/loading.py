"""Load what a run was asked for: its prompt, its tools and its model; and say in one sentence what cannot be.

Owns the translation of what the rooms refuse into the error that ends the run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import anyio.to_thread

from turnwire.protocol.events import Approval, Budget, Completion, ToolListing
from turnwire.protocol.faults import Blame, ErrorCode, WireError
from turnwire.runner.core.inputs import Loaded
from turnwire.runner.core.jobs import CallModel, CheckCompletion, Job, Review, RunTool
from turnwire.runner.core.ports import Model
from turnwire.runner.gates.approval import ApprovalPolicy, asks
from turnwire.runner.gates.completion import REASON_CHARS, CommandGate
from turnwire.runner.gates.review import CallReview
from turnwire.runner.loop.workers import Worker
from turnwire.runner.providers.calling import ModelCaller
from turnwire.runner.providers.catalogue import ModelOptions, open_model
from turnwire.runner.providers.errors import CannotOpen
from turnwire.runner.providers.network import network_of
from turnwire.runner.settings import (
    BUDGET_KEYS,
    BadSettings,
    RunSettings,
    api_key,
    environment,
    environment_for_tools,
)
from turnwire.runner.tools.arguments import ArgumentChecker, parse_arguments
from turnwire.runner.tools.toolbox import Toolbox, ToolSettings, UnknownTool, build_toolbox
from turnwire.runner.tools.working import ToolRunner

__all__ = ["CannotStart", "Loading", "load"]

PROMPT_BYTES = 16 << 20
"""The longest prompt that is read from standard input or a file."""


class CannotStart(Exception):
    """The run cannot start; ``error`` says why."""

    def __init__(self, code: ErrorCode, message: str, fault: Blame = Blame.HOST) -> None:
        """``message`` is one sentence for people."""
        super().__init__(message)
        self.error = WireError(code=code, message=message, fault=fault)


class Loading(NamedTuple):
    """What was loaded: the input that says so, who does which kind of job, and the model to close."""

    loaded: Loaded
    hands: dict[type[Job], Worker]
    model: Model


async def load(
    settings: RunSettings,
    *,
    cwd: str,
    spill_folder: str | None,
    stdin: int | None,
    remark: Callable[[str, str], None],
) -> Loading:
    """Load a run. CannotStart: something that it was asked for cannot be had.

    ``stdin`` is the descriptor to read the prompt from where the settings say so; ``remark`` takes
    the code and the words of a warning.
    """
    prompt = await _prompt(settings, stdin)
    toolbox = _toolbox(settings, cwd, spill_folder)
    policy = _policy(settings, toolbox)
    model = _model(settings, cwd)
    checker = ArgumentChecker(remark)
    review = CallReview(
        toolbox,
        policy,
        parse=parse_arguments,
        violations=checker.check,
        limit=settings.max_result_chars,
    )
    caller = ModelCaller(model, system=settings.system, tools=toolbox.schemas())
    runner = ToolRunner(
        toolbox, cwd=cwd, result_chars=settings.max_result_chars, spill_folder=spill_folder
    )
    hands: dict[type[Job], Worker] = {
        CallModel: caller.call,
        Review: review.review,
        RunTool: runner.run,
    }
    if settings.verify_cmd is not None:
        gate = _command_gate(settings, settings.verify_cmd, cwd, spill_folder)
        hands[CheckCompletion] = gate.check
    loaded = Loaded(
        prompt=prompt,
        model=model.name,
        tools=_listings(toolbox, policy),
        completion=_completion(settings),
        budget=Budget(**{key: getattr(settings, key) for key in BUDGET_KEYS}),
    )
    return Loading(loaded, hands, model)


# --- pieces -----------------------------------------------------------------------------------------------


async def _prompt(settings: RunSettings, stdin: int | None) -> str | None:
    if settings.prompt_file is not None:
        return await anyio.to_thread.run_sync(_read_file, settings.prompt_file)
    if stdin is not None:
        return await anyio.to_thread.run_sync(_read_stdin, stdin, abandon_on_cancel=True)
    return None if settings.prompt is None else _checked(settings.prompt, "the prompt")


def _read_file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return _decoded(file.read(PROMPT_BYTES + 1), path)
    except OSError as error:
        message = f"The prompt file {path!r} cannot be read: {error.strerror}."
        raise CannotStart(ErrorCode.USAGE, message) from error


def _read_stdin(fd: int) -> str:
    with open(fd, "rb", closefd=False) as file:
        return _decoded(file.read(PROMPT_BYTES + 1), "standard input")


def _decoded(data: bytes, source: str) -> str:
    if len(data) > PROMPT_BYTES:
        message = f"The prompt from {source} is longer than {PROMPT_BYTES:,} bytes."
        raise CannotStart(ErrorCode.USAGE, message)
    return _checked(data.decode("utf-8", "replace").removeprefix("\ufeff"), source)


def _checked(prompt: str, source: str) -> str:
    if not prompt.strip():
        raise CannotStart(ErrorCode.USAGE, f"There is no text in the prompt ({source}).")
    # A byte of the command line that is no UTF-8 stands in it as half a surrogate pair.
    return os.fsencode(prompt).decode("utf-8", "replace")


def _toolbox(settings: RunSettings, cwd: str, spill_folder: str | None) -> Toolbox:
    tool_settings = _tool_settings(settings, cwd, spill_folder, settings.max_result_chars)
    try:
        return build_toolbox(settings.tools, tool_settings)
    except UnknownTool as error:
        raise CannotStart(ErrorCode.USAGE, str(error)) from error


def _tool_settings(
    settings: RunSettings, cwd: str, spill_folder: str | None, result_chars: int
) -> ToolSettings:
    return ToolSettings(
        cwd=cwd,
        allow_paths=settings.allow_path,
        environment=environment_for_tools(settings),
        spill_folder=spill_folder,
        max_result_chars=result_chars,
    )


def _completion(settings: RunSettings) -> Completion | None:
    if settings.verify_cmd is None or settings.max_attempts is None:
        return None
    return Completion(kind="command", max_attempts=settings.max_attempts)


def _command_gate(
    settings: RunSettings, command: str, cwd: str, spill_folder: str | None
) -> CommandGate:
    shell = build_toolbox(("bash",), _tool_settings(settings, cwd, spill_folder, REASON_CHARS))
    runner = ToolRunner(shell, cwd=cwd, result_chars=REASON_CHARS, spill_folder=spill_folder)
    return CommandGate(command, tool="bash", run=runner.run)


def _policy(settings: RunSettings, toolbox: Toolbox) -> ApprovalPolicy:
    """What a file says of approval only ever adds to whom is asked (spec/approval.md)."""
    for flag, names in (("--ask", settings.ask), ("--no-ask", settings.no_ask)):
        for name in set(names) - set(toolbox.names()):
            message = f"{flag} names a tool that this run does not have: {name!r}."
            raise CannotStart(ErrorCode.USAGE, message)
    from_file = [
        n for n in toolbox.names() if settings.tools_from_file and _is_function(toolbox, n)
    ]
    return ApprovalPolicy(
        approval=Approval(settings.approval),
        ask=frozenset([*settings.ask, *from_file]),
        no_ask=frozenset(settings.no_ask),
    )


def _is_function(toolbox: Toolbox, name: str) -> bool:
    tool = toolbox.get(name)
    return tool is not None and tool.source.startswith("py:")


def _model(settings: RunSettings, cwd: str) -> Model:
    try:
        options = ModelOptions(
            base_url=settings.base_url,
            api_key=api_key(settings),
            allow_insecure_http=settings.allow_insecure_http,
            cwd=cwd,
            network=network_of(environment()),
            environment=environment_for_tools(settings),
        )
        return open_model(settings.model, options)
    except CannotOpen as error:
        raise CannotStart(error.code, str(error)) from error
    except BadSettings as error:
        raise CannotStart(ErrorCode.USAGE, f"{error}.") from error


def _listings(toolbox: Toolbox, policy: ApprovalPolicy) -> tuple[ToolListing, ...]:
    tools = (tool for name in toolbox.names() if (tool := toolbox.get(name)) is not None)
    return tuple(
        ToolListing(
            name=tool.schema.name,
            source=tool.source,
            reach=tuple(entitlement.id for entitlement in tool.reach),
            asks=asks(tool, policy),
        )
        for tool in tools
    )
