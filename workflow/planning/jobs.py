"""Answer what rules ask of a plan, job by job: functions of wildcards, as Snakemake calls them."""

from __future__ import annotations

import os
import shlex
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
    """Serve one start."""

    def __init__(self, start: Start):
        self._plan, self._to_measure = start.plan, start.to_measure
        self._workflow = start.workflow
        # By pattern and wildcards: of thousands of jobs Snakemake asks half a dozen things each.
        self._files: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)

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
        return self.of_file(pattern, self._plan.order.priorities.__getitem__)

    def identity(self, pattern: str) -> OfJob:
        return self.of_file(pattern, lambda path: self._plan.timed[path].identity)

    def in_block(self, pattern: str) -> OfJob:
        """Options that tell what the sessions of a file's block are described with."""
        return self.of_file(pattern, self._around)

    def measured_by(self, pattern: str) -> OfJob:
        """The same of a run, and the sources that it is measured by, which measures nothing where
        they were changed meanwhile.
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
        """No input; but what Snakemake cannot see of a record, it is told.

        It knows the identity only where it made the record itself, and does not make what is
        missing while all that was made from it is there.
        """

        def stale(path: str) -> list[str]:
            if path in self.now:
                self.can_be_timed_here()
            if path in self._to_measure:
                if not self._is_seen(path):
                    self.make_again(path)
            elif path in self._cut_off:
                self._forget(path)  # written whole or not at all: as planned, it is finished
            return []

        return self.of_file(pattern, stale)

    def _is_seen(self, path: str) -> bool:
        if not os.path.lexists(path):
            return not os.path.exists(self._plan.block_of[path].path)
        made_with = self._workflow.persistence.params(_as_file(path))
        return bool(made_with) and made_with != [repr(self._plan.timed[path].identity)]

    @cached_property
    def _cut_off(self) -> set[str]:
        """Find the records whose jobs Snakemake did not see end, as where it was killed itself."""
        found: set[str] = self._workflow.persistence._filter_incomplete_keys(self._plan.timed)
        return found

    def _forget(self, path: str) -> None:
        """Have Snakemake forget a record, which says itself what it was made with."""
        self._workflow.persistence.cleanup_metadata(_as_file(path))

    def forget_what_could_not_begin(self) -> None:
        """Leave such records to the next start, whatever Snakemake thinks of their jobs."""
        for path in self._to_measure:
            if changes.why(self._plan.timed[path], Path()):
                self._forget(path)

    def stale_canary(self, pattern: str) -> OfJob:
        """No input, either: what says when it is measured is its priority, which is between those
        of runs. One of a block that is not measured now stays as it is.
        """

        def stale(path: str) -> list[str]:
            if self._plan.block_of[path].path in self.blocks_now and os.path.exists(path):
                self.make_again(path)
            return []

        return self.of_file(pattern, stale)

    def stale_known_steps(self, wildcards) -> list[str]:
        control = self._plan.controls.known_steps
        if changes.is_stale(Path(control.path), control.identity):
            self.can_be_timed_here()
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

    def lost_blocks(self, sessions: str) -> Callable[[Any], list[str]]:
        """No input; but where what says how a block was measured was lost, it is made again."""

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
        """No input, but the one line for a plan that cannot be measured here: nothing is
        installed.
        """
        or_one_line(this_machine.check_device, self._plan)
        return []

    def for_any_machine(self, wildcards) -> list[str]:
        """Return no input, or end with one line for a plan that takes something from here."""
        or_one_line(bundle.check_portable, self._plan)
        return []

    def can_be_timed_here(self) -> None:
        """Pass, or end with one line; of thousands of jobs the first asks."""
        if not self._was_checked:
            or_one_line(this_machine.check_device, self._plan)
            or_one_line(this_machine.check_processors, self._plan)
            self._was_checked = True

    _was_checked = False

    def of_file(self, pattern: str, find: Callable[[str], Any]) -> OfJob:
        """Return a function that finds something for a job's file, which has to be planned."""
        files = self._files[pattern]

        def of_job(wildcards):
            values = tuple(wildcards)  # in the order of the pattern
            path = files.get(values)
            if path is None:
                path = pattern.format(**wildcards)
                if path not in self._plan.order.priorities:
                    raise ValueError(f"{path} is not in the plan of this configuration")
                files[values] = path
            return find(path)

        return with_signature(of_job)


def with_signature(function: OfJob) -> OfJob:
    """Write a function's signature down, which Snakemake asks for several times for each job."""
    function.__signature__ = signature(function)  # type: ignore[attr-defined]
    return function


def _told(files: tuple[Path, ...]) -> str:
    return shlex.join(f"--source={_as_told(file)}" for file in files)


def _as_told(file: Path) -> str:
    """Our own from where they lie: whoever is told may find that by another path."""
    if file.is_relative_to(identity.WORKFLOW):
        return file.relative_to(identity.WORKFLOW).as_posix()
    return os.path.abspath(file)


def _as_file(path: str):
    """Return a path as Snakemake has it, which is there when it asks."""
    from snakemake.io import IOFile

    return IOFile(path)
