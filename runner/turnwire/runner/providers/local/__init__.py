"""The embedded model: its file (``model_file``, ``fetching``), the process that it lives in
(``engine``), that process's life (``server``), and the voice (``model``).

Owns nothing itself and imports nothing, so that the engine starts with no more than it needs.
"""
