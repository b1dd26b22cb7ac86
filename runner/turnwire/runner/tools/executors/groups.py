"""Process groups: does one still live, and how is it ended.

Owns the order TERM, a bounded grace, KILL, and that it is the group that is looked at, never its
leader alone. A process that has left its group is out of reach and must be reported, not hunted.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import anyio

__all__ = ["GRACE_SECONDS", "begun", "end_group", "ended", "is_alive", "kill_all", "until_gone"]

GRACE_SECONDS = 2.0
"""Between TERM and KILL."""

_KILL_SECONDS = 1.0
"""How long a killed group may take to be gone; one that hangs in the kernel does not hold us."""

_FIRST_LOOK_SECONDS = 0.005
_LOOK_SECONDS = 0.05


_begun: set[int] = set()
"""The groups that this process has started and has not seen the end of."""


def begun(group: int) -> None:
    """Note that ``group`` was started, so that it ends with us at the latest."""
    _begun.add(group)


def ended(group: int) -> None:
    """Note that nothing of ``group`` is left."""
    _begun.discard(group)


def kill_all() -> None:
    """Kill what is left of all groups, without any grace: the last act before the process leaves."""
    while _begun:
        _send(_begun.pop(), signal.SIGKILL)


async def end_group(group: int, reap: Callable[[], object]) -> bool:
    """End every process of ``group``; gives whether they are all gone. ``reap`` collects the
    leader.

    Takes at most :data:`GRACE_SECONDS` and one more. To be called in a scope that is shielded.
    """
    _send(group, signal.SIGTERM)
    if await until_gone(group, reap, GRACE_SECONDS):
        return True
    _send(group, signal.SIGKILL)
    return await until_gone(group, reap, _KILL_SECONDS)


async def until_gone(group: int, reap: Callable[[], object], seconds: float) -> bool:
    """Wait until no process of ``group`` is left, for ``seconds`` at most; gives whether that is
    so.
    """
    deadline = anyio.current_time() + seconds
    pause = _FIRST_LOOK_SECONDS
    while True:
        reap()
        if not is_alive(group):
            # The leader may have ended since.
            reap()
            return True
        if anyio.current_time() >= deadline:
            return False
        await anyio.sleep(min(pause, max(0.0, deadline - anyio.current_time())))
        pause = min(pause * 2, _LOOK_SECONDS)


def is_alive(group: int) -> bool:
    """Does a process of ``group`` still run? One that has ended and that nobody collects does not
    count.
    """
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # There is one, of another user.
        return True
    states = list(_states(group))
    return not states or any(state not in "ZX" for state in states)


def _send(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        # Gone, or of another user: both show when the group is looked at.
        return


def _states(group: int) -> Iterator[str]:
    """The states of the group's processes as Linux lists them; elsewhere nothing is known."""
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return
    for number in numbers:
        try:
            with open(f"/proc/{number}/stat", "rb") as file:
                # The name in parentheses may hold anything; state, parent and group follow it.
                state, _, its_group = file.read().rpartition(b")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(its_group) == group:
            yield state.decode()
