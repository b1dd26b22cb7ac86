"""The demo from its first line to its exit code.

Owns the throw-away folder and the order of things. Reads keys only from a terminal that also shows
the question; elsewhere nobody is asked, and what needs a person is refused.
"""

from __future__ import annotations

import json
import sys
import tempfile
from functools import partial
from pathlib import Path

import anyio

from turnwire.hosts.client import Ending, Options, connect
from turnwire.hosts.demo.keys import asked
from turnwire.hosts.demo.screen import Screen
from turnwire.hosts.demo.story import NOTES, PROMPT, REPLIES, RESULT
from turnwire.hosts.demo.telling import Teller
from turnwire.protocol.commands import Answer
from turnwire.protocol.events import Answers, Delta
from turnwire.protocol.people import Action, HumanRequest
from turnwire.protocol.text import visible

__all__ = ["demo", "main"]

READING_SECONDS = 0.05
"""A scripted model is faster than any eye."""

_FREE = ("glob", "grep", "read")
_INTERRUPTED = 130


def main(*, yes: bool, reading_seconds: float = READING_SECONDS) -> int:
    """Play the demo and give its exit code, which is the child's; 130 if it was interrupted.

    ``reading_seconds`` pass between two pieces of text where a person reads along.
    """
    try:
        return anyio.run(demo, yes, reading_seconds)
    except KeyboardInterrupt:
        Screen(sys.stdout).line("Interrupted. The child and its folder are gone.")
        return _INTERRUPTED


async def demo(yes: bool, reading_seconds: float = READING_SECONDS) -> int:  # noqa: FBT001
    """Play the demo: ``yes`` accepts what the model wants to write, without asking."""
    screen = Screen(sys.stdout)
    with tempfile.TemporaryDirectory(prefix="turnwire-demo-") as place:
        folder = Path(place, "folder")
        script = Path(place, "model.jsonl")
        _prepare(folder, script)
        options = _options(folder, script, answered=yes or _at_terminal())
        _introduce(screen, options, yes=yes)
        pace = reading_seconds if _at_terminal() and not yes else 0
        ending = await _play(screen, options, yes=yes, pace=pace)
        _conclude(screen, folder, ending)
    return ending.exit_code


def _at_terminal() -> bool:
    # A process whose stdin was closed before it started has none.
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


def _prepare(folder: Path, script: Path) -> None:
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    script.write_text("\n".join(json.dumps(reply) for reply in REPLIES), encoding="utf-8")


def _options(folder: Path, script: Path, *, answered: bool) -> Options:
    return Options(
        prompt=PROMPT,
        model=f"scripted:{script}",
        tools=(*_FREE, "write"),
        flags=("--no-ask", ",".join(_FREE), "--no-session"),
        answers=Answers.FD if answered else Answers.NONE,
        cwd=str(folder),
    )


def _introduce(screen: Screen, options: Options, *, yes: bool) -> None:
    screen.line()
    screen.line("A scripted model, a real child process, a throw-away folder.", "bold")
    screen.line()
    screen.line(f"folder  {options.cwd}")
    screen.line(f"        {'  '.join(NOTES)}")
    screen.line(f"prompt  {options.prompt}")
    shown = f"turnwire run --model scripted:FILE --tools {','.join(options.tools)}"
    screen.line(f"child   {shown}")
    screen.line(f"        {' '.join(options.flags)}")
    if options.answers is Answers.NONE:
        screen.line()
        screen.line("This is no terminal, so nobody can be asked: what needs a person is refused.")
        screen.line("`turnwire demo --yes` accepts it.")
    elif yes:
        screen.line("asks    nobody: --yes accepts")
    screen.line()


async def _play(screen: Screen, options: Options, *, yes: bool, pace: float) -> Ending:
    async def ask(request: HumanRequest) -> Answer:
        action = Action.ACCEPT
        if not yes:
            invite = partial(screen.line, "? y: allow   n: refuse", "wait")
            action = await asked(sys.stdin.fileno(), invite)
        return Answer(id=request.id, action=action)

    teller = Teller(screen)
    async with connect(options, on_request=ask) as child:
        async for event in child.events():
            teller.tell(event)
            if pace and isinstance(event, Delta):
                await anyio.sleep(pace)
        return await child.wait()


def _conclude(screen: Screen, folder: Path, ending: Ending) -> None:
    for fault in ending.faults:
        screen.line(f"fault   {fault.code.value}: {fault.message}", "bad")
    if ending.end is None:
        for line in ending.stderr.splitlines():
            screen.line(visible(line), "bad")
    result = folder / RESULT
    screen.line()
    if result.exists():
        screen.line(f"{RESULT} now says:", "bold")
        screen.line()
        for line in result.read_text(encoding="utf-8").splitlines():
            screen.line(visible(line))
    else:
        screen.line(f"{RESULT} was not written.", "bold")
    screen.line()
    screen.line("Next: `turnwire run --help`, and spec/ for a host of your own.", "dim")
