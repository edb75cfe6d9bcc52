"""Supervising: what runs beside a measured process, and writes down what became of it.

Standard library of Python 3.11 alone, by the interpreter that runs the job.
"""
