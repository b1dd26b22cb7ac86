"""The surfaces: programs that run turnwire as a child and talk to it over the wire.

They know ``turnwire.protocol`` and one another's client, never the runner; nothing is imported
here.
"""
