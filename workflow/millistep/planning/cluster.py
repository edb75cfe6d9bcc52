"""SLURM: one submission per workload and round, which runs the same rules on its node.

Its job starts Snakemake with the group's records as targets. The node gets the configuration as it
was resolved where Snakemake was started: `auto` could have another value there.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from contextlib import redirect_stderr
from typing import Any

from millistep.deploy.virtual_environments import write_atomically
from millistep.planning.jobs import Jobs, per_job
from millistep.planning.start import ON_NODE, Start

# The settings of profiles/default: the caller's own profile sends jobs to nodes.
SNAKEMAKE = (
    *(sys.executable, "-m", "snakemake", "--nolock", "--cores", "4", "--quiet", "all"),
    *("--profile", "none", "--workflow-profile", "none", "--scheduler", "greedy"),
    *("--rerun-triggers", "mtime", "params", "--rerun-incomplete", "--keep-going"),
    *("--show-failed-logs", "--resources", "machine_percent=100"),
)


class Submissions:
    """Answer the rule of submissions in one start of Snakemake."""

    def __init__(self, start: Start, jobs: Jobs):
        self._start, self._plan, self._jobs = start, start.plan, jobs
        self.of_file = jobs.of_file
        workflow = start.workflow
        self._written = not workflow.is_main_process or workflow.output_settings.dryrun

    @per_job
    def stale(self, path: str) -> list[str]:
        """Return no input, but have Snakemake submit a group that lacks anything."""
        if self._now(path):
            self._jobs.begin_timing()
            self._write()
            if os.path.exists(path):
                self._jobs.make_again(path)
        return []

    def all(self, wildcards: Any) -> list[str]:
        """Return the outputs of all groups that have something to measure or are done."""
        groups = self._plan.groups
        return [g.done for g in groups if os.path.exists(g.done) or self._now(g.done)]

    @per_job
    def minutes(self, path: str) -> int:
        """Return a group's minutes: time limits and starts of its runs."""
        seconds = self._plan.time_limit_s + 60
        return 10 + round(len(self._now(path)) * seconds / 60)

    @per_job
    def command(self, path: str) -> str:
        """Return the command that measures a group on its node."""
        workflow, start = self._start.workflow, self._start
        options = ["--snakefile", str(workflow.main_snakefile), "--configfile", str(start.planned)]
        if start.use_conda:
            prefix = workflow.deployment_settings.conda_prefix
            options += ["--use-conda", *(["--conda-prefix", str(prefix)] if prefix else [])]
        files = self._plan.group_of[path].files
        if forced := [file for file in files if file in start.asked_of_nodes]:
            options += ["--forcerun", *forced]
        return f"{ON_NODE}=1 {shlex.join([*SNAKEMAKE, *options, '--', *files])}"

    def _write(self) -> None:
        """Write the files that jobs on nodes read, once in a start."""
        if not self._written:
            self._written = True
            write_atomically(self._start.planned, json.dumps(self._plan.resolved()))
            write_atomically(self._start.asked, json.dumps(self._start.asked_of_nodes))

    def _now(self, path: str) -> list[str]:
        return [file for file in self._plan.group_of[path].files if file in self._start.now]


def executor() -> str:
    """Return the executor of the command line or a profile, which Snakemake has only later."""
    from snakemake.cli import parse_args  # needed only if jobs may be sent to nodes

    with redirect_stderr(io.StringIO()):
        _, found = parse_args(sys.argv[1:])
    return found.executor or "local"
