"""The answers to rules about each job of a plan: functions of wildcards, for Snakemake to call."""

from __future__ import annotations

import os
import shlex
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any

from planning import bundle, changes, identity, this_machine
from planning.config import or_one_line
from planning.start import Start
from supervise import sitting

OfJob = Callable[[Any], Any]


class Jobs:
    """Answer the rules of one start of Snakemake; many methods return a function of wildcards."""

    def __init__(self, start: Start):
        self._plan, self._to_measure = start.plan, start.to_measure
        self._workflow, self._start = start.workflow, start
        # Files by pattern and wildcards: Snakemake asks half a dozen things of thousands of jobs.
        self._files: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)

    @cached_property
    def blocks_now(self) -> set[str]:
        """Paths of the blocks whose records this start measures."""
        return {self._plan.block_of[path].path for path in self._start.now}

    def priority(self, pattern: str) -> OfJob:
        """Find a job's priority: all timing is done in the plan's randomised order."""
        return self.of_file(pattern, self._plan.order.priorities.__getitem__)

    def identity(self, pattern: str) -> OfJob:
        return self.of_file(pattern, lambda path: self._plan.timed[path].identity)

    def in_block(self, pattern: str) -> OfJob:
        """Find the option that tells which accelerator the sessions of a file's block describe."""
        return self.of_file(pattern, self._around)

    def measured_by(self, pattern: str) -> OfJob:
        """Find a run's option of :meth:`in_block`, and those that name its measuring sources: if
        these were changed meanwhile, the run measures nothing.
        """

        def options(path: str) -> str:
            run = self._plan.timed[path]
            of_all = (run.row.model, run.column.name)
            if of_all not in told:
                told[of_all] = _told(identity.entries(self._plan, run.row, run.column))
            return f"{self._around(path)} {told[of_all]}"

        told: dict[tuple[str, str], str] = {}
        return self.of_file(pattern, options)

    def _around(self, path: str) -> str:
        return f"--around={self._plan.block_of[path].around}"

    def stale_record(self, pattern: str) -> OfJob:
        """Find no input, but tell Snakemake what it cannot see of a record.

        It knows the identity only if it made the record itself, and it does not make a missing
        record while everything that was made from it is there.
        """

        def stale(path: str) -> list[str]:
            if path in self._start.now:
                self.begin_timing()
            if path in self._to_measure:
                if not self._is_seen(path):
                    self.make_again(path)
            elif path in self._cut_off:
                self._forget(path)  # records are written whole or not at all: this one is finished
            return []

        return self.of_file(pattern, stale)

    def _is_seen(self, path: str) -> bool:
        if not os.path.lexists(path):
            return not os.path.exists(self._plan.block_of[path].path)
        made_with = self._workflow.persistence.params(_as_file(path))
        return bool(made_with) and made_with != [repr(self._plan.timed[path].identity)]

    @cached_property
    def _cut_off(self) -> set[str]:
        """Records whose jobs Snakemake did not see end, for example because it was killed."""
        found: set[str] = self._workflow.persistence._filter_incomplete_keys(self._plan.timed)
        return found

    def _forget(self, path: str) -> None:
        """Have Snakemake forget a record, which itself says what it was made with."""
        self._workflow.persistence.cleanup_metadata(_as_file(path))

    def forget_what_could_not_begin(self) -> None:
        """Have Snakemake forget runs that still have to be measured, even if their jobs ended."""
        for path in self._to_measure:
            if changes.why(self._plan.timed[path], Path()):
                self._forget(path)

    def stale_canary(self, pattern: str) -> OfJob:
        """Find no input: a canary's priority, between those of runs, says when it is measured. It
        is measured again if its block measures anything now.
        """

        def stale(path: str) -> list[str]:
            if self._plan.block_of[path].path in self.blocks_now and os.path.exists(path):
                self.make_again(path)
            return []

        return self.of_file(pattern, stale)

    def stale_known_steps(self, wildcards) -> list[str]:
        control = self._plan.controls.known_steps
        if changes.is_stale(Path(control.path), control.identity):
            self.begin_timing()
            self.make_again(control.path)
        return []

    def canaries(self, wildcards) -> list[str]:
        """The files of the canaries of this start, and of earlier ones as far as they were kept."""
        files = (
            (block, path)
            for block in self._plan.blocks
            for when in (sitting.BEFORE, sitting.AFTER)
            for path in block.canaries(when)
        )
        return [p for block, p in files if block.path in self.blocks_now or os.path.exists(p)]

    def lost_blocks(self, sessions: str) -> Callable[[Any], list[str]]:
        """Find no input, but have the sessions made again if the file of any block was lost."""

        def lost(wildcards) -> list[str]:
            there = (os.path.exists(block.path) for block in self._plan.blocks)
            if os.path.exists(sessions) and not all(there):
                self.make_again(sessions)
            return []

        return lost

    def make_again(self, path: str) -> None:
        """Have Snakemake run the job of a file that it would take for up to date."""
        self._workflow.dag.forcefiles.add(path)

    def for_this_machine(self, wildcards) -> list[str]:
        """Return no input, or end with one line, before anything is installed, for a plan that
        cannot be measured here.
        """
        or_one_line(this_machine.check_device, self._plan)
        self._start.tell_what_conda_makes()
        return []

    def all_measured(self, wildcards) -> list[str]:
        """Find no input, but say to whoever wants results that nothing is left to measure."""
        self._start.tell_that_all_is_measured()
        return []

    def for_any_machine(self, wildcards) -> list[str]:
        """Return no input, or end with one line for a plan that depends on this machine."""
        or_one_line(bundle.check_portable, self._plan)
        return []

    def begin_timing(self) -> None:
        """Say what is measured, or end with one line if it cannot be timed; the first job asks."""
        if not self._was_checked:
            or_one_line(this_machine.check_device, self._plan)
            or_one_line(this_machine.check_processors, self._plan)
            or_one_line(this_machine.check_interpreters, self._plan)
            self._start.tell_what_is_measured()
            self._start.tell_what_conda_makes()
            self._was_checked = True

    _was_checked = False

    def of_file(self, pattern: str, find: Callable[[str], Any]) -> OfJob:
        """Return a function of wildcards that calls `find` with the job's file, a planned one."""
        files = self._files[pattern]

        def of_job(wildcards):
            values = tuple(wildcards)  # in the order of the pattern
            path = files.get(values)
            if path is None:
                path = pattern.format(**wildcards)
                if path not in self._plan.order.priorities:
                    sys.exit(f"millistep: {path} is not in the plan of this configuration")
                files[values] = path
            return find(path)

        return with_signature(of_job)


def with_signature(function: OfJob) -> OfJob:
    """Store a function's signature in it: Snakemake asks for it several times for each job."""
    function.__signature__ = signature(function)  # type: ignore[attr-defined]
    return function


def _told(files: tuple[Path, ...]) -> str:
    return shlex.join(f"--source={_as_told(file)}" for file in files)


def _as_told(file: Path) -> str:
    """A source's path; of our own below workflow/, which the program may find elsewhere."""
    if file.is_relative_to(identity.WORKFLOW):
        return file.relative_to(identity.WORKFLOW).as_posix()
    return os.path.abspath(file)


def _as_file(path: str):
    """Return a path as Snakemake's type; imported late, when Snakemake is there."""
    from snakemake.io import IOFile

    return IOFile(path)
