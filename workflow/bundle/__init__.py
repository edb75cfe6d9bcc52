"""The runs of a plan, measured where there is no Snakemake, no conda and no network.

Standard library of Python 3.11. What is planned is in ``bundle.json``; the programs that
measure are the pipeline's own.
"""


class Problem(Exception):
    """One line for the user, with which everything stops."""
