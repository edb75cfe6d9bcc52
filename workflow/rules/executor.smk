# Where jobs run: on this machine, or on the nodes of a cluster that another executor sends them to.
import io
from contextlib import redirect_stderr

from snakemake.cli import parse_args


def executor():
    """As the command line or a profile names it: Snakemake itself tells it only after the plan."""
    with redirect_stderr(io.StringIO()):
        _, asked = parse_args(sys.argv[1:])
    return asked.executor or "local"


# Without a number of jobs at once there is no other executor; with one there may be none.
ON_NODES = workflow.remote_exec or (
    workflow.resource_settings.nodes is not None and executor() != "local"
)
