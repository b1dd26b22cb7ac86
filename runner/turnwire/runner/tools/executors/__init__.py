"""How a tool's work is done: as a Python function or as a process. Knows no particular tool."""
