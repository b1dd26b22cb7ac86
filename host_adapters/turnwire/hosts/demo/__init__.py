"""The demo: a whole run in this terminal, without a key and without a network.

Owns the story, the sample files and the drawing of a run as plain lines. Everything else is real:
the child, the wire, the tools, the question and its answer.
"""

from turnwire.hosts.demo.playing import demo, main

__all__ = ["demo", "main"]
