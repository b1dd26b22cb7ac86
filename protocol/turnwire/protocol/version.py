"""What this build speaks: the protocol's version, the package's version, the schema's digest.

Constants alone, importable before anything else: the first line of a child is written from them.
"""

VERSION = "0.1.0"
"""Version of the distribution (PEP 440)."""

PROTOCOL = "1.0"
"""Version of the wire, ``MAJOR.MINOR`` (spec/evolution.md)."""

MAJOR = 1
"""A host that knows this number can work with the child."""

SCHEMA_SHA256 = "6ba4a68f89c173dd63eeb7f18e5f6ccd13a4e6dbdf63230a7ef010b074db2459"
"""SHA-256, in hexadecimal, of the schema of both directions (spec/schema/); held equal by a test."""
