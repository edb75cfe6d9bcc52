"""Differences between a library's releases and today's one: one module per library.

Builders and frameworks use today's names. The functions here inspect the installed library, never
its version.
"""
