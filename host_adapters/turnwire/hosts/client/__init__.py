"""Run turnwire as a child process, on asyncio or trio: spawn it, take its events, answer its
requests.

::

    async with connect(Options(prompt="Name three colours.", model="local")) as child:
        async for event in child.events():
            ...
        ending = await child.wait()

Owns the process, its descriptors and its group, and ends all of them when the context is left.
Draws nothing and decides nothing: what a person sees and answers is the surface's business. The
same without ``async`` is :mod:`turnwire.hosts.client.sync`.
"""

from turnwire.hosts.client.child import Child
from turnwire.hosts.client.connecting import connect
from turnwire.hosts.client.ending import AnswersClosed, ChildGone, Ending, Fault, FaultCode
from turnwire.hosts.client.options import Bounds, Options
from turnwire.hosts.client.serving import HostCall, HostTool, host_tool

__all__ = [
    "AnswersClosed",
    "Bounds",
    "Child",
    "ChildGone",
    "Ending",
    "Fault",
    "FaultCode",
    "HostCall",
    "HostTool",
    "Options",
    "connect",
    "host_tool",
]
