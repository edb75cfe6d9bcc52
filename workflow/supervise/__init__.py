"""Supervising: the code that runs beside a measured process, and writes down what became of it.

Runs on Snakemake's Python; only the measured process runs on the interpreter of an environment.
"""
