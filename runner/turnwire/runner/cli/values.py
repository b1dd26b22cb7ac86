"""How the values of flags are read, the same from the command line and from a file.

Owns the callbacks of click's options and the reading of ``--config``. What a file may say is decided in
``settings``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import click

from turnwire.protocol.framing import LEAST_LINE_BYTES
from turnwire.runner.settings import BadSettings, split_config

__all__ = ["attempts", "line_bytes", "load_config", "names", "number", "repeats", "whole"]

_NO_LIMIT = "none"


def names(ctx: click.Context, param: click.Parameter, value: object) -> tuple[str, ...]:
    """Names with commas between them, or a list in a file."""
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        listed = (None,)
    texts = [name.strip() for name in cast("Sequence[object]", listed) if isinstance(name, str)]
    if len(texts) != len(cast("Sequence[object]", listed)):
        raise click.BadParameter("expected names with commas between them", ctx, param)
    return tuple(filter(None, texts))


def whole(ctx: click.Context, param: click.Parameter, value: object) -> int | None:
    """A whole number, 0 or more, or ``none``."""
    given = number(ctx, param, value)
    if given is not None and given != int(given):
        raise click.BadParameter(f"{value!r} is not a whole number", ctx, param)
    return None if given is None else int(given)


def attempts(ctx: click.Context, param: click.Parameter, value: object) -> int | None:
    """A whole number, 1 or more; there is no gate without an end."""
    if value is None:
        return None
    given = whole(ctx, param, value)
    if not given or isinstance(value, float):
        raise click.BadParameter(f"{value!r} is not a whole number from 1 up", ctx, param)
    return given


def repeats(ctx: click.Context, param: click.Parameter, value: object) -> int | None:
    """A whole number, 1 or more, or ``none``: what never happened cannot be repeated too often."""
    if (given := whole(ctx, param, value)) == 0:
        raise click.BadParameter(f"at least 1, or {_NO_LIMIT!r}", ctx, param)
    return given


def number(ctx: click.Context, param: click.Parameter, value: object) -> float | None:
    """A number, 0 or more, or ``none``."""
    if value is None or value == _NO_LIMIT:
        return None
    try:
        given = float(value) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        given = math.nan
    if isinstance(value, bool) or not 0 <= given < math.inf:
        message = f"{value!r} is not a number from 0 up, nor {_NO_LIMIT!r}"
        raise click.BadParameter(message, ctx, param)
    return given


def load_config(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    """Let a TOML file stand in for flags that are not given."""
    if path is None:
        return
    # Only a run with --config pays for it.
    import tomllib  # noqa: PLC0415

    try:
        with open(path, "rb") as file:
            values = tomllib.load(file)
        known = frozenset(p.name for p in ctx.command.params if p.name) - {"config", "help"}
        kept, passed_over = split_config(values, known)
    except (OSError, ValueError, BadSettings) as error:
        raise click.BadParameter(f"{path}: {error}", ctx, param) from None
    ctx.default_map = {**(ctx.default_map or {}), **kept}
    ctx.meta["turnwire.passed_over"] = tuple(passed_over)


def line_bytes(ctx: click.Context, param: click.Parameter, value: int) -> int:
    """A length that a ``hello`` fits into, or 0 for any."""
    if 0 < value < LEAST_LINE_BYTES:
        raise click.BadParameter(f"at least {LEAST_LINE_BYTES}, or 0 for no limit", ctx, param)
    return value
