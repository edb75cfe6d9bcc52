"""What releases of a library name or do differently from today's: one module per library.

Builders and frameworks ask in today's words. The functions here look at what the installed library
has, never at its version.
"""
