"""Measuring: one process per run, inside a framework's environment.

Standard library and that framework only. Results leave as a record
(``contracts/record.py``); this package does not depend on the analysis of records.
"""
