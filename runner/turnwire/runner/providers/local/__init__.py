"""The embedded model: its file (``model``), its server's life (``server``) and the process that it
lives in (``engine``).

Owns nothing itself and imports nothing, so that the engine's process starts with no more than it
needs.
"""
