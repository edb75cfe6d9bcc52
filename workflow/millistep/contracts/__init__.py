"""Typed models of the configuration and of all files: allowed values, defaults and descriptions.

They are the contracts between planning, measuring and analysis. ``millistep schema NAME`` prints
the JSON schema of a model. A measured process has only the standard library, so it imports none.
"""
