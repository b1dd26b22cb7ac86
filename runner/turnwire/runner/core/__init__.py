"""The rules, pure: what is now true, how the world looks, what is still to do.

No clock, no random numbers, no paths, no logging, no waiting. Every input brings its time.
"""
