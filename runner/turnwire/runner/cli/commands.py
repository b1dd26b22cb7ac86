"""The commands that are no run: each thin, each loading what it needs when it is called.

Owns names and help texts. ``run`` is listed here for its help; its work is in ``running``.
"""

from __future__ import annotations

import sys

import click

from turnwire.protocol.version import PROTOCOL, VERSION
from turnwire.runner.cli.options import run_command

__all__ = ["turnwire"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message=f"turnwire %(version)s, protocol {PROTOCOL}")
def turnwire() -> None:
    """Run an agent's turns as a child process that speaks one small protocol.

    Events come out on standard output as JSON Lines; a person's answers go in on a descriptor of their own.
    """


turnwire.add_command(run_command)


@turnwire.command()
@click.option("--yes", is_flag=True, help="Accept what the demo asks, for machines.")
def demo(*, yes: bool) -> None:
    """See a whole run: a scripted model reads files, asks you, and writes one."""
    # A surface is loaded by the command that opens it.
    from turnwire.hosts.demo import main  # noqa: PLC0415

    sys.exit(main(yes=yes))


@turnwire.command()
@click.option(
    "--write",
    metavar="[DIR]",
    is_flag=False,
    flag_value="spec/schema",
    help="Write the files into DIR (spec/schema) instead.",
)
@click.option(
    "--check",
    metavar="[DIR]",
    is_flag=False,
    flag_value="spec/schema",
    help="Say where DIR (spec/schema) differs; exit 1 if it does.",
)
def schema(write: str | None, check: str | None) -> None:
    """Print the JSON Schema of the protocol, both directions."""
    # Only this command makes schemas.
    from turnwire.protocol.schema import drift, schemas  # noqa: PLC0415
    from turnwire.protocol.schema import write as write_schemas  # noqa: PLC0415

    if write is not None:
        write_schemas(write)
    elif check is not None:
        differences = drift(check)
        click.echo("\n".join(differences) or "the schema is up to date")
        sys.exit(1 if differences else 0)
    else:
        for text in schemas().values():
            click.echo(text.decode(), nl=False)


@turnwire.group()
def models() -> None:
    """Models that live on this machine."""


@models.command()
@click.argument("name", type=click.Choice(["local"]), expose_value=False)
def pull() -> None:
    """Fetch the file of the embedded model into the cache folder."""
    # Only this command fetches.
    from turnwire.runner.providers.errors import CannotOpen  # noqa: PLC0415
    from turnwire.runner.providers.local import model_file  # noqa: PLC0415

    try:
        path = model_file.pull(model_file.models_folder(), lambda step: click.echo(step, err=True))
    except CannotOpen as error:
        raise click.ClickException(error.message) from error
    click.echo(str(path))
