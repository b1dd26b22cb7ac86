"""What this build speaks: the protocol's version, the package's version, the schema's digest.

Constants alone, importable before anything else: the first line of a child is written from them.
"""

VERSION = "0.1.0"
"""Version of the distribution (PEP 440)."""

PROTOCOL = "1.0"
"""Version of the wire, ``MAJOR.MINOR`` (spec/evolution.md)."""

MAJOR = 1
"""A host that knows this number can work with the child."""

SCHEMA_SHA256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""SHA-256, in hexadecimal, of the schema of both directions (spec/schema/); held equal by a test."""
