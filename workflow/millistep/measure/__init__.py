"""Measuring: one process per run, inside a framework's environment.

Standard library and that framework only. Results leave as a record
(``schemas/record.schema.json``); this package does not depend on the analysis of records.
"""
