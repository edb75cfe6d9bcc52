"""What releases of a library name or do otherwise than today's: one module per library.

Builders and frameworks say what they want in today's words; here it is found in the library that is
there, by looking at what it has and never at its version.
"""
