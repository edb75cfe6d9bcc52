"""Supervising: the code that runs beside a measured process, and writes down what became of it.

Needs only the standard library of Python 3.11; runs on the interpreter that runs the job.
"""
