"""The flags of ``run``, and how a file stands in for them.

Owns names, types, defaults and help texts. Imports click and nothing slow: it is needed before the first line.
"""

from __future__ import annotations

from typing import Any

import click

from turnwire.runner.cli.values import (
    attempts,
    line_bytes,
    load_config,
    names,
    number,
    repeats,
    whole,
)
from turnwire.runner.settings import RunSettings

__all__ = ["HelpWanted", "run_command", "settings_of"]


def _option(*names: str, **attributes: Any) -> click.Option:  # noqa: ANN401 - click's own words
    return click.Option(names, **attributes)


_HELP = """Run a prompt to its end and tell what happens as JSON Lines on standard output.

A person's answers are read on --answers-fd or --answers-stdin; without either, nobody can approve anything
and what would need it is refused. What the lines mean stands in spec/.

\b
  turnwire run "Name three colours."
  turnwire run --tools read,edit,bash --answers-fd 3 "Mend the tests." 3<fifo
  git diff | turnwire run --prompt - --format text --model openai:gpt-5
"""


_OPTIONS = (
    _option("--prompt", metavar="TEXT|-", help="The prompt; - reads it from standard input."),
    _option("--prompt-file", metavar="FILE", help="Read the prompt from FILE."),
    _option("--chat", is_flag=True, help="Ask for the next message after each turn."),
    _option(
        "--model",
        metavar="SPEC",
        default="local",
        show_default=True,
        help="local, openai:NAME, or scripted:FILE.",
    ),
    _option("--base-url", metavar="URL", help="An OpenAI-compatible server, up to and with /v1."),
    _option("--api-key-env", metavar="NAME", help="The environment variable that holds the key."),
    _option("--allow-insecure-http", is_flag=True, help="Allow http:// beyond this machine."),
    _option("--system", metavar="TEXT", help="Instructions for the model."),
    _option(
        "--tools",
        type=click.UNPROCESSED,
        callback=names,
        metavar="NAMES",
        default=(),
        help="read,write,edit,glob,grep,bash and py:MODULE:FUNCTION. No tools unless given.",
    ),
    _option(
        "--allow-path",
        metavar="DIR",
        multiple=True,
        help="Files outside the working folder that tools may use; repeatable.",
    ),
    _option(
        "--approval",
        type=click.Choice(["ask", "never"]),
        default="ask",
        show_default=True,
        help="Ask a person about calls that reach beyond inference, or never.",
    ),
    _option(
        "--ask",
        type=click.UNPROCESSED,
        callback=names,
        metavar="NAMES",
        default=(),
        help="Always ask about these tools.",
    ),
    _option(
        "--no-ask",
        type=click.UNPROCESSED,
        callback=names,
        metavar="NAMES",
        default=(),
        help="Never ask about these tools.",
    ),
    _option("--answers-fd", type=int, metavar="N", help="Read a person's answers on descriptor N."),
    _option("--answers-stdin", is_flag=True, help="Read a person's answers on standard input."),
    _option(
        "--max-rounds",
        type=click.UNPROCESSED,
        callback=whole,
        metavar="N|none",
        default=250,
        show_default=True,
        help="Model requests.",
    ),
    _option(
        "--max-tokens",
        type=click.UNPROCESSED,
        callback=whole,
        metavar="N|none",
        help="Tokens, as the provider reports them.",
    ),
    _option(
        "--max-tool-calls",
        type=click.UNPROCESSED,
        callback=whole,
        metavar="N|none",
        help="Calls that run.",
    ),
    _option(
        "--max-seconds",
        type=click.UNPROCESSED,
        callback=number,
        metavar="NUMBER|none",
        help="Time, without waits for a person.",
    ),
    _option(
        "--max-cost",
        type=click.UNPROCESSED,
        callback=number,
        metavar="NUMBER|none",
        help="Money, where the provider reports it.",
    ),
    _option(
        "--max-identical-calls",
        type=click.UNPROCESSED,
        callback=repeats,
        metavar="N|none",
        default=5,
        show_default=True,
        help="The same call with the same result in a row.",
    ),
    _option(
        "--verify-cmd",
        metavar="COMMAND",
        help="Done counts only if this shell command exits with 0; else the model goes on.",
    ),
    _option(
        "--max-attempts",
        type=click.UNPROCESSED,
        callback=attempts,
        metavar="N",
        help="How often --verify-cmd may run in a turn.",
    ),
    _option(
        "--max-result-chars",
        type=click.IntRange(min=200),
        default=20_000,
        show_default=True,
        help="Longer results of tools are cut for the model.",
    ),
    _option("--deltas/--no-deltas", default=True, help="Tell live pieces, or settled events only."),
    _option(
        "--max-line-bytes",
        type=int,
        default=65_536,
        show_default=True,
        callback=line_bytes,
        help="Longer events travel in parts; 0 is no limit.",
    ),
    _option(
        "--host-stall-seconds",
        type=click.FloatRange(min=0),
        default=300.0,
        show_default=True,
        help="How long a reader may take nothing; 0 is for ever.",
    ),
    _option(
        "--format",
        type=click.Choice(["jsonl", "text"]),
        default="jsonl",
        show_default=True,
        help="Events, or the answer alone.",
    ),
    _option("--session-dir", metavar="DIR", help="Where sessions are kept."),
    _option("--no-session", is_flag=True, help="Keep no log of the session."),
    _option("--protocol", type=int, metavar="MAJOR", help="Insist on a version of the protocol."),
    _option(
        "--config",
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=load_config,
        help="Take settings from a TOML file; flags win.",
    ),
)


def _wants_help(ctx: click.Context, _: click.Parameter, value: object) -> None:
    if value and not ctx.resilient_parsing:
        raise HelpWanted(ctx.get_help())


class HelpWanted(Exception):
    """``--help`` was given; the text goes to whoever owns stdout now."""

    def __init__(self, text: str) -> None:
        """``text`` is the help, ready to be shown."""
        super().__init__(text)
        self.text = text


run_command = click.Command(
    "run",
    params=[
        click.Argument(["prompt_words"], metavar="[PROMPT]", required=False),
        *_OPTIONS,
        _option(
            "--help",
            "-h",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_wants_help,
            help="Show this message.",
        ),
    ],
    help=_HELP,
    add_help_option=False,
)
"""The flags of ``run``; what they start is in ``running``."""


def settings_of(ctx: click.Context, values: dict[str, Any]) -> RunSettings:
    """Check flags against one another and resolve them; a contradiction is a usage error."""
    words = values.pop("prompt_words")
    prompts = [p for p in (words, values["prompt"], values["prompt_file"]) if p is not None]
    if len(prompts) > 1:
        raise click.UsageError(
            "give the prompt once: as an argument, --prompt or --prompt-file", ctx
        )
    if not prompts and not values["chat"]:
        raise click.UsageError("a prompt is needed: as an argument, --prompt or --prompt-file", ctx)
    values["prompt"] = words if values["prompt"] is None else values["prompt"]
    source = ctx.get_parameter_source("tools")
    settings = RunSettings(
        **values,
        tools_from_file=source is click.core.ParameterSource.DEFAULT_MAP,
        passed_over=ctx.meta.get("turnwire.passed_over", ()),
    )
    _check(ctx, settings)
    return settings


def _check(ctx: click.Context, settings: RunSettings) -> None:
    contradictions = (
        (
            settings.answers_stdin and settings.answers_fd is not None,
            "--answers-fd and --answers-stdin exclude each other",
        ),
        (
            settings.answers_stdin and settings.prompt == "-",
            "--prompt - and --answers-stdin cannot share standard input",
        ),
        (
            settings.chat and settings.answers == "none",
            "--chat needs --answers-fd or --answers-stdin: the next message is an answer",
        ),
        (
            settings.format == "text" and (settings.chat or settings.answers != "none"),
            "--format text has nobody to answer: it goes with neither answers nor --chat",
        ),
        (
            (settings.verify_cmd is None) != (settings.max_attempts is None),
            "--verify-cmd and --max-attempts go together: a gate needs an end",
        ),
        (
            settings.verify_cmd is not None and not settings.verify_cmd.strip(),
            "--verify-cmd is empty",
        ),
        (
            settings.no_session and settings.session_dir is not None,
            "--no-session and --session-dir exclude each other",
        ),
    )
    for is_so, sentence in contradictions:
        if is_so:
            raise click.UsageError(sentence, ctx)
    if settings.protocol not in (None, 1):
        raise click.UsageError(f"this child speaks protocol 1, not {settings.protocol}", ctx)
