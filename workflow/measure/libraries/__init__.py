"""Differences between a library's releases and today's one: one module per library.

Builders and frameworks ask in today's words. The functions here look at what the installed library
has, never at its version.
"""
