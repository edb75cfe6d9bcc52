"""Where jobs are sent to, which Snakemake itself tells only after the plan."""

import io
import sys
from contextlib import redirect_stderr


def asked() -> str:
    """As the command line or a profile names it."""
    from snakemake.cli import parse_args  # only where jobs may be sent to nodes

    with redirect_stderr(io.StringIO()):
        _, found = parse_args(sys.argv[1:])
    return found.executor or "local"
