"""What the rules ask of a plan, job by job: functions of wildcards, as Snakemake calls them."""

from __future__ import annotations

import base64
import contextlib
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from planning import changes, identity, this_machine
from planning.blocks import Block
from planning.config import Problem
from supervise import sitting

OfJob = Callable[[Any], Any]


class Jobs:
    """Of one start. to_measure: why, by record; workflow: Snakemake's."""

    def __init__(self, plan, to_measure: Mapping[str, Any], workflow):
        self._plan, self._to_measure, self._workflow = plan, to_measure, workflow

    @cached_property
    def now(self) -> set[str]:
        """Records that are measured by this start: what has to be, and what -R asks for."""
        asked, timed = self._workflow.dag_settings, self._plan.timed
        names = {*asked.forcerun}
        if asked.forceall:
            return {*timed}
        forced = {path for path, run in timed.items() if {path, run.column.rule} & names}
        return {*self._to_measure} | (forced if names else set())

    @cached_property
    def blocks_now(self) -> set[str]:
        """Files of the blocks that they belong to."""
        return {self._plan.block_of[path].path for path in self.now}

    def priority(self, pattern: str) -> OfJob:
        """What is timed is timed in the plan's randomised order."""
        return self._of(pattern, self._plan.order.priorities.__getitem__)

    def identity(self, pattern: str) -> OfJob:
        return self._of(pattern, lambda path: self._plan.timed[path].identity)

    def around(self, pattern: str) -> OfJob:
        """What the sessions of a file's block are described with."""
        return self._of(pattern, lambda path: self._plan.block_of[path].around)

    def sources(self, pattern: str) -> OfJob:
        """Options for a run, which measures nothing where they were changed meanwhile."""

        def options(path: str) -> str:
            run = self._plan.timed[path]
            files = map(_as_told, identity.entries(self._plan, run.row, run.column))
            return shlex.join(f"--source={file}" for file in files)

        return self._of(pattern, options)

    def stale_record(self, pattern: str) -> OfJob:
        """No input; but what Snakemake cannot see of a record, it is told.

        It knows the identity only where it made the record itself, and does not make what is
        missing while all that was made from it is there.
        """

        def stale(path: str) -> list[str]:
            if path in self.now:
                self._can_be_timed_here  # noqa: B018 (ends the start)
            if path in self._to_measure:
                if not self._is_seen(path):
                    self.make_again(path)
            elif path in self._cut_off:
                self._keep(path)
            return []

        return self._of(pattern, stale)

    def _is_seen(self, path: str) -> bool:
        from snakemake.io import IOFile  # Snakemake is there when it asks

        if not os.path.lexists(path):
            return not os.path.exists(self._plan.block_of[path].path)
        made_with = self._workflow.persistence.params(IOFile(path))
        return bool(made_with) and made_with != [repr(self._plan.timed[path].identity)]

    @cached_property
    def _cut_off(self) -> set[str]:
        """Files of jobs of which Snakemake did not see the end, as where it was killed itself."""
        found, folder = set(), Path(".snakemake/incomplete")
        for file in folder.rglob("*"):
            parts = (part.removeprefix("@") for part in file.relative_to(folder).parts)
            with contextlib.suppress(ValueError):
                found.add(base64.urlsafe_b64decode("".join(parts)).decode())
        return found

    def _keep(self, path: str) -> None:
        """A record is written whole or not at all: one that is as planned is no less finished."""
        from snakemake.io import IOFile

        self._workflow.persistence.cleanup_metadata(IOFile(path))

    def records_before(self, pattern: str) -> OfJob:
        """The runs that the canary after a block follows; one of a block that is not measured now
        stays as it is.
        """

        def records(path: str) -> list[str]:
            block: Block = self._plan.block_of[path]
            if block.path not in self.blocks_now:
                return []
            if os.path.exists(path):
                self.make_again(path)
            after = path in block.canaries(sitting.AFTER)
            return [run.record for run in block.runs] if after else []

        return self._of(pattern, records)

    def stale_block(self, pattern: str) -> OfJob:
        """No input; a whole block that is one job is done again where it lacks anything."""

        def stale(path: str) -> list[str]:
            if self._plan.block_of[path].path in self.blocks_now:
                self._can_be_timed_here  # noqa: B018 (ends the start)
                if os.path.exists(path):
                    self.make_again(path)
            return []

        return self._of(pattern, stale)

    def stale_known_steps(self, wildcards) -> list[str]:
        control = self._plan.controls.known_steps
        if changes.is_stale(Path(control.path), control.identity):
            self._can_be_timed_here  # noqa: B018 (ends the start)
            self.make_again(control.path)
        return []

    def canaries(self, wildcards) -> list[str]:
        """Those of this start, and of earlier ones as far as they were kept."""
        files = (
            (block, path)
            for block in self._plan.blocks
            for when in (sitting.BEFORE, sitting.AFTER)
            for path in block.canaries(when)
        )
        return [p for block, p in files if block.path in self.blocks_now or os.path.exists(p)]

    def blocks(self, wildcards) -> list[str]:
        """The jobs of whole blocks, as far as they have anything to do or did it."""
        return [
            block.done
            for block in self._plan.blocks
            if block.path in self.blocks_now or os.path.exists(block.done)
        ]

    def minutes(self, pattern: str) -> OfJob:
        """Of a block, at most: each run has its limit and is started, and may be deployed for."""
        seconds = self._plan.time_limit_s + 60
        return self._of(pattern, lambda path: 10 + round(len(self._runs_now(path)) * seconds / 60))

    def columns(self, pattern: str) -> OfJob:
        """The runs of a block that are not there as planned, for who reads a dry run."""

        def words(path: str) -> str:
            first = self._plan.by_record
            names = (
                f"{run.column.name}{'' if run.record in first else ':again'}"
                for run in self._runs_now(path)
            )
            return " ".join(names) or "nothing"

        return self._of(pattern, words)

    def inner_snakemake(self, pattern: str, options: list[str]) -> OfJob:
        """The command for a block's records and the canaries around them, one after the other."""
        command = [sys.executable, "-m", "snakemake", "--nolock", "--cores", "1", "--quiet", "all"]
        # As in profiles/default; that of the caller may send jobs to nodes.
        command += ["--profile", "none", "--workflow-profile", "none", "--scheduler", "greedy"]
        command += ["--rerun-triggers", "mtime", "params", "--rerun-incomplete", "--keep-going"]
        command += ["--show-failed-logs", "--resources", "machine_percent=100", *options, "--"]
        return self._of(
            pattern, lambda path: shlex.join([*command, *self._plan.block_of[path].files])
        )

    def make_again(self, path: str) -> None:
        """Have Snakemake run the job of a file that it would take for up to date."""
        self._workflow.dag.forcefiles.add(path)

    def for_this_machine(self, wildcards) -> list[str]:
        """No input, but the one line for a plan that cannot be measured here: nothing is
        installed.
        """
        _or_one_line(this_machine.check_device, self._plan)
        return []

    @cached_property
    def _can_be_timed_here(self) -> None:
        """Or the end with one line; asked where something is timed, of thousands of jobs once."""
        _or_one_line(this_machine.check_device, self._plan)
        _or_one_line(this_machine.check_processors, self._plan)

    def _runs_now(self, path: str) -> list[Any]:
        return [run for run in self._plan.block_of[path].runs if run.record in self.now]

    def _of(self, pattern: str, find: Callable[[str], Any]) -> OfJob:
        """What is found for the file of a job, which has to be planned."""

        def of_job(wildcards):
            path = pattern.format(**wildcards)
            if path not in self._plan.order.priorities:
                raise ValueError(f"{path} is not in the plan of this configuration")
            return find(path)

        return of_job


def _as_told(file: Path) -> str:
    """Our own from where they lie: whoever is told may find that by another path."""
    if file.is_relative_to(identity.WORKFLOW):
        return file.relative_to(identity.WORKFLOW).as_posix()
    return os.path.abspath(file)


def _or_one_line(function: Callable[[Any], None], plan) -> None:
    try:
        function(plan)
    except Problem as problem:
        sys.exit(f"millistep: {problem}")
