"""The headless runner: a child process that runs an agent's turns and tells them on stdout.

Nothing is imported here, so that the first line of a child does not wait for the rest of the package.
"""
