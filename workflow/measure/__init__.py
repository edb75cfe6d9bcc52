"""Measuring: one process per run, inside a framework's environment.

Standard library and that framework only. What it learns leaves as a record
(``schemas/record.schema.json``); nothing here knows how records are analysed.
"""
