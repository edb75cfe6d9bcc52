"""Snakemake's executor, which Snakemake itself tells only after the plan is made."""

import io
import sys
from contextlib import redirect_stderr


def asked() -> str:
    """The executor that the command line or a profile names; local without one."""
    from snakemake.cli import parse_args  # needed only if jobs may be sent to nodes

    with redirect_stderr(io.StringIO()):
        _, found = parse_args(sys.argv[1:])
    return found.executor or "local"
