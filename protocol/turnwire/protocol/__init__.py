"""The words of turnwire: every event and host line, their framing, and the fold that surfaces draw from.

Pure and small: msgspec is the one dependency. The child and every host share this package. Nothing is
imported here, so that a process may read :mod:`turnwire.protocol.version` before it pays for the rest.
"""
