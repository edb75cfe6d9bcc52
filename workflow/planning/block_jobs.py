"""Input functions, resources and the command of the rule by which a whole block is one job."""

from __future__ import annotations

import os
import shlex
import sys

from planning.jobs import Jobs, OfJob
from planning.start import Start

# The settings of profiles/default; the caller's own profile may send jobs to nodes.
SNAKEMAKE = (
    *(sys.executable, "-m", "snakemake", "--nolock", "--cores", "1", "--quiet", "all"),
    *("--profile", "none", "--workflow-profile", "none", "--scheduler", "greedy"),
    *("--rerun-triggers", "mtime", "params", "--rerun-incomplete", "--keep-going"),
    *("--show-failed-logs", "--resources", "machine_percent=100"),
)


class BlockJobs:
    """Answer the rule for blocks in one start of Snakemake. jobs: the answers for its records."""

    def __init__(self, start: Start, jobs: Jobs):
        self._start, self._plan, self._jobs = start, start.plan, jobs

    def stale(self, pattern: str) -> OfJob:
        """Return no input, but have Snakemake run a block again that lacks anything."""

        def stale(path: str) -> list[str]:
            if self._plan.block_of[path].path in self._jobs.blocks_now:
                self._jobs.begin_timing()
                if os.path.exists(path):
                    self._jobs.make_again(path)
            return []

        return self._jobs.of_file(pattern, stale)

    def all(self, wildcards) -> list[str]:
        """Return the outputs of all blocks that have something to do or are done."""
        return [
            block.done
            for block in self._plan.blocks
            if block.path in self._jobs.blocks_now or os.path.exists(block.done)
        ]

    def minutes(self, pattern: str) -> OfJob:
        """Find a block's minutes: each run's limit and start, some for canaries and deployments.
        What is measured twice may need more: then a second job goes on.
        """
        seconds = self._plan.time_limit_s + 60

        def minutes(path: str) -> int:
            now = [file for file in self._plan.block_of[path].files if file in self._start.now]
            return 10 + round(len(now) * seconds / 60)

        return self._jobs.of_file(pattern, minutes)

    def snakemake(self, pattern: str) -> OfJob:
        """Return the command that makes a block's records and the canaries around them in turn."""
        workflow, planned = self._start.workflow, self._start.planned
        options = ["--snakefile", str(workflow.main_snakefile), "--configfile", str(planned)]
        if self._start.use_conda:
            options += ["--use-conda"]
            if prefix := workflow.deployment_settings.conda_prefix:
                options += ["--conda-prefix", str(prefix)]

        def command(path: str) -> str:
            files = self._plan.block_of[path].files
            forced = [file for file in files if file in self._start.asked_of_blocks]
            force = ["--forcerun", *forced] if forced else []
            return shlex.join([*SNAKEMAKE, *options, *force, "--", *files])

        return self._jobs.of_file(pattern, command)
