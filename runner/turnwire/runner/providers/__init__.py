"""The voice: models behind providers, each of them one :class:`turnwire.runner.core.ports.Model`.

Border files only: a foreign format or a foreign error comes in, words of the core go out. How often
a request is tried again is the core's business, which messages are replayed is too. Nothing is
imported here, so that a run pays only for the model that it uses.
"""
