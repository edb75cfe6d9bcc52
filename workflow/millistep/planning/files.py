"""Commands that rules call: write the plan or the bundle, check configuration files."""

import argparse
import json
import sys
from pathlib import Path

from millistep.deploy.environments import definition_sha256
from millistep.deploy.virtual_environments import write_atomically
from millistep.planning.bundle import write
from millistep.planning.config import or_one_line, read_configuration
from millistep.planning.identity import ENVS
from millistep.planning.plan import Plan


def planned() -> tuple[Plan, Path]:
    """Return the plan that a rule needs, and the file to be made of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the whole configuration, as JSON")
    parser.add_argument("--elsewhere", action="store_true", help="not measured on this machine")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    config = json.loads(options.config)
    plan = or_one_line(Plan, config, definition_sha256, ENVS, not options.elsewhere)
    return plan, options.output


def plan() -> None:
    """Write the plan, for the analysis and the progress line."""
    found, output = planned()
    write_atomically(output, json.dumps(found.document(), indent=1) + "\n")


def bundle() -> None:
    """Write the zip with which a machine without Snakemake, conda or a network measures a plan."""
    found, output = planned()
    write(found, output)
    size_kib = output.stat().st_size / 1024
    print(f"{output}: {len(found.runs)} runs, {size_kib:.0f} KiB", file=sys.stderr)


def check() -> None:
    """Report errors in configuration files that Snakemake itself could not read.

    Snakemake reads the files of ``--configfile`` before the Snakefile. Its message names neither
    file nor line, and ``--quiet all`` suppresses the message.
    """
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    known, _ = parser.parse_known_args()  # the others are Snakemake's
    for path in known.configfile:
        or_one_line(read_configuration, path)
