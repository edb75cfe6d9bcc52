"""SLURM: one submission per workload and round, which runs the same rules on its node.

Its job starts Snakemake with the group's records as targets. The node gets the configuration as it
was resolved where Snakemake was started: `auto` could have another value there.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from functools import cache
from typing import Any

from millistep.deploy.virtual_environments import write_atomically
from millistep.planning.jobs import Jobs, per_job
from millistep.planning.plan import WORKERS
from millistep.planning.start import ON_NODE, Start

# The settings of profiles/default: the caller's own profile sends jobs to nodes.
SNAKEMAKE = (
    *(sys.executable, "-m", "snakemake", "--nolock", "--quiet", "all"),
    *("--profile", "none", "--workflow-profile", "none", "--scheduler", "greedy"),
    *("--rerun-triggers", "mtime", "params", "--rerun-incomplete", "--keep-going"),
    *("--show-failed-logs", "--resources", "machine_percent=100"),
)


class Submissions(Jobs):
    """Answer the rules of a start that sends its groups to nodes."""

    def __init__(self, start: Start):
        super().__init__(start)
        self._write = cache(self._write_for_nodes)

    @per_job
    def stale_group(self, path: str) -> list[str]:
        """Return no input, but have Snakemake submit a group that lacks anything."""
        if self._needed(self._plan.group_of[path]):
            self.begin_timing()
            self._write()
            if os.path.exists(path):
                self.make_again(path)
        return []

    def references(self, wildcards: Any) -> list[str]:
        """Return the outputs of all groups that have something to measure or are done."""
        groups = self._plan.groups
        return [each.done for each in groups if os.path.exists(each.done) or self._needed(each)]

    @per_job
    def minutes(self, path: str) -> int:
        """Return a group's minutes: time limits and starts of its runs."""
        seconds = self._plan.time_limit_s + 60
        return 10 + round(len(self._needed(self._plan.group_of[path])) * seconds / 60)

    @per_job
    def command(self, path: str) -> str:
        """Return the command that measures a group on its node."""
        workflow, start = self._start.workflow, self._start
        options = ["--snakefile", str(workflow.main_snakefile), "--configfile", str(start.planned)]
        if start.use_conda:
            prefix = workflow.deployment_settings.conda_prefix
            options += ["--use-conda", *(["--conda-prefix", str(prefix)] if prefix else [])]
        group = self._plan.group_of[path]
        options += ["--cores", str(max(4, len(group.runs) - WORKERS))]  # for all to take turns
        files = group.files
        if forced := [file for file in files if file in start.asked_of_nodes]:
            options += ["--forcerun", *forced]
        return f"{ON_NODE}=1 {shlex.join([*SNAKEMAKE, *options, '--', *files])}"

    def _write_for_nodes(self) -> None:
        """Write the files that jobs on nodes read."""
        workflow = self._start.workflow
        if workflow.is_main_process and not workflow.output_settings.dryrun:
            write_atomically(self._start.planned, json.dumps(self._plan.resolved()))
            write_atomically(self._start.asked, json.dumps(self._start.asked_of_nodes))
