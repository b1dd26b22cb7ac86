"""Which object stands behind which seam, and in which order a child starts and ends.

Knows every other room and decides nothing: what happens in a run is the core's word.
"""
