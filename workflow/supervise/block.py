"""A block as one job, if blocks run in parallel: on nodes of a cluster, or in slots of a machine.

It takes a slot of its machine and starts Snakemake there, with the block's records as targets, so
that the same rules time them as without slots.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.virtual_environments import write_atomically
from supervise import programs, running, sitting, whereabouts
from supervise.interrupts import end_with_snakemake, exit_status
from supervise.slots import FOLDER, Slots, keep_to
from supervise.terminal import say

ON_NODE = "MILLISTEP_ON_NODE"  # planned on another machine: this one's devices are not looked at


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--block", required=True, help="laptop/bert/fit-b8/round1")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--on-node", action="store_true", help="of a cluster")
    parser.add_argument("--attempt", type=int, required=True, help="2 after the job was killed")
    parser.add_argument("--done", type=Path, required=True, help="written when all is there")
    parser.add_argument("command", nargs="+", help="of the inner Snakemake")
    options = parser.parse_args()
    end_with_snakemake()
    try:
        with seated(options) as variables:
            status = programs.run(options.command, variables=variables)
        if status == 0:
            write_atomically(options.done, "")
    except OSError as error:
        say(f"millistep: {error.filename or options.done}: {error.strerror}")
        return 1
    except KeyboardInterrupt as end:
        return exit_status(end)
    return 1 if status else 0


@contextmanager
def seated(options: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Take a slot; yield the variables for what runs in it. Stderr goes to a file meanwhile."""
    node = whereabouts.node(options.results)
    with Slots(options.results / FOLDER, node, options.slots).taken() as slot:
        if not options.on_node:
            keep_to(slot, options.slots)
        place = f"slot {slot}" if options.slots > 1 else running.node()
        name = options.block.partition("/")[2].replace("/", "-")
        variables = sitting.share(slot, options.slots, options.attempt)
        if options.on_node:
            variables[ON_NODE] = os.environ.get("SLURM_JOB_ID", "1")
        with running.told(options.results / running.FOLDER, name, place):
            yield variables
