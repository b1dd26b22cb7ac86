"""The descriptors: what belongs to the host is taken away first; events go out, answers come in.

Nothing is imported here, so that the first act of the process pays for itself alone.
"""
