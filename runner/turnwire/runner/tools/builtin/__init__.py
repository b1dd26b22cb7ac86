"""The tools that turnwire brings along: files, search and the shell. Each is chosen by name, none
by default.
"""
