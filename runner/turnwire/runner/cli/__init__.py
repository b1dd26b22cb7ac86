"""The command line: what a person or a host types, turned into a run or a small command.

Imports nothing that is slow: for ``run`` the first act is to own the descriptors, and the first line goes out
before the rest of the program is loaded.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command that ``sys.argv`` names."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["run"]:
        # Before anything else is imported that might print.
        from turnwire.runner.channel.descriptors import own  # noqa: PLC0415

        descriptors = own()
        # From here on a signal ends the run in order.
        from turnwire.runner.channel.signals import StopSignals  # noqa: PLC0415

        signals = StopSignals()
        signals.catch()
        # Only a run pays for it, and only once its descriptors are safe.
        from turnwire.runner.cli.running import run  # noqa: PLC0415

        run(arguments[1:], descriptors, signals)
    else:
        # The other commands print like any program.
        from turnwire.runner.cli.commands import turnwire  # noqa: PLC0415

        turnwire(prog_name="turnwire")
