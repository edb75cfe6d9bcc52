"""Measuring the runs of a plan where there is no Snakemake, no conda and no network.

Needs only the standard library of Python 3.11. The plan is in ``bundle.json``; the programs that
measure are the pipeline's own.
"""


class Problem(Exception):
    """A problem that ends everything with one line for the user."""
