"""The hands: what tools a run has, how one call runs, and what the model is given of its result.

Owns tools and the way to their results. Must not decide whether a call may run (``gates``), nor
import the rooms beside it.
"""
