"""Measuring: one process per run, inside a framework's environment.

Standard library and that framework only. Results leave as a record (``contracts/record.py``).
"""
