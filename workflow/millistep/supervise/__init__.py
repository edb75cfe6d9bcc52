"""Supervising: the code that runs next to a measured process, and records its result.

Runs on Snakemake's Python; only the measured process runs on the interpreter of an environment.
"""
