"""The answers to rules about each job of a plan, for Snakemake to call, and its handlers."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from functools import cache, cached_property
from inspect import signature
from pathlib import Path
from typing import Any

from millistep.deploy.conda import is_made_of
from millistep.planning import changes, files, this_machine
from millistep.planning.config import or_one_line
from millistep.planning.runs import Group, chunk_of, cost
from millistep.planning.start import Start, tell
from millistep.supervise.sources import whole

OfJob = Callable[[Any], Any]


def per_job(method: Callable[[Any, str], Any]) -> Callable[[Any, str], OfJob]:
    """Turn a method of a job's file into one of the files' pattern, for a rule: that returns a
    function of wildcards.
    """

    def of_pattern(self: Any, pattern: str) -> OfJob:
        return with_signature(lambda wildcards: method(self, self.file(pattern, wildcards)))

    return of_pattern


class Jobs:
    """Answer the rules of one start of Snakemake."""

    def __init__(self, start: Start):
        self._plan, self._start = start.plan, start
        self._files: dict[tuple[str, ...], str] = {}
        self.begin_timing = cache(self._begin_timing)
        self._tell_of_conda = cache(self._print_what_conda_makes)

    def file(self, pattern: str, wildcards: Any) -> str:
        """Return the file of a job, which is planned, given a pattern of such files.

        It is kept: Snakemake calls half a dozen functions for each of thousands of jobs.
        """
        key = (pattern, *wildcards)
        if key not in self._files:
            path = pattern.format(**wildcards)
            if path not in self._plan.priorities:
                sys.exit(f"millistep: {path} is not in the plan of this configuration")
            self._files[key] = path
        return self._files[key]

    @per_job
    def priority(self, path: str) -> int:
        """Return a job's priority: runs are timed in the plan's random order."""
        return self._plan.priorities[path]

    @per_job
    def identity(self, path: str) -> str:
        return self._plan.timed[path].identity

    @per_job
    def in_turns(self, path: str) -> str:
        """Return the options of one run, with the runs that it takes turns with, in their order."""
        measured, group = self._start.measured, self._plan.group_of[path]
        if path not in measured:
            # Snakemake was killed before it noticed that the run was complete: keep its record.
            return f"{self._around(path)} --attempt=2"
        asked = [run.record for run in group.runs if run.record in measured]
        members = chunk_of(path, asked, self._plan.resident(group))
        together = shlex.quote(f"--members={json.dumps(members)}")
        place = f"--place={measured[path]}/{len(measured)} --done={self._start.work_done[path]:.5f}"
        return f"{self._around(path)} {place} {together}"

    def _around(self, path: str) -> str:
        """Return the options of a run or reference about its workload and round."""
        group = self._plan.group_of[path]
        return f"--around={group.around} --round={self._plan.scale}/{group.name}"

    around = per_job(_around)

    @per_job
    def stale_record(self, path: str) -> list[str]:
        """Return no input, but have Snakemake measure a run whose record is not as planned.

        Snakemake has the identity only of records that it made itself, and does not make a missing
        record while all results exist.
        """
        if path in self._start.now:
            self.begin_timing()
        if path in self._start.to_measure:
            self.make_again(path)
        return []

    @per_job
    def stale_reference(self, path: str) -> list[str]:
        """Return no input, but have a reference measured again if its group measures anything."""
        if os.path.exists(path) and self._needed(self._plan.group_of[path]):
            self.make_again(path)
        return []

    def stale_known_steps(self, wildcards: Any) -> list[str]:
        """Return no input, but have the known steps measured again if they are not as planned."""
        control = self._plan.controls.known_steps
        if changes.is_stale(Path(control.path), control.identity):
            self.begin_timing()
            self.make_again(control.path)
        return []

    def references(self, wildcards: Any) -> list[str]:
        """Return reference files that exist or that this start makes: before each round."""
        groups = self._plan.groups
        needed = [] if self._start.elsewhere else list(filter(self._needed, groups))
        first = {group.number: group for group in reversed(needed)}
        return [
            path
            for group in groups
            for path in group.references.values()
            if group is first.get(group.number) or os.path.exists(path)
        ]

    def _needed(self, group: Group) -> list[str]:
        """Return the records of a group that this start may measure."""
        return [run.record for run in group.runs if run.record in self._start.now]

    def make_again(self, path: str) -> None:
        """Have Snakemake run the job of a file that it would take for up to date."""
        self._start.workflow.dag.forcefiles.add(path)

    def for_this_machine(self, wildcards: Any) -> list[str]:
        """Return no input; end with one line if the plan cannot be measured here."""
        or_one_line(this_machine.check_device, self._plan)
        self._tell_of_conda()
        return []

    def all_measured(self, wildcards: Any) -> list[str]:
        """Return no input; print where the report is, if this start has nothing to measure."""
        if self._start.speaks and not self._start.now:
            page = Path(self._start.results, "report.html")
            where = f"; report: {page}" if page.exists() else ""
            tell(f"all {len(self._plan.runs)} runs are measured{where}")
        return []

    def for_any_machine(self, wildcards: Any) -> list[str]:
        """Return no input; end with one line for a plan that depends on this machine."""
        or_one_line(files.check_portable, self._plan)
        return []

    def content_of_bundle(self, wildcards: Any) -> str:
        """Return a param that changes with the content of the bundle."""
        return f"{whole(files.bundle_files(self._plan).items())}-{self._plan.sha256}"

    @cached_property
    def so_far(self) -> dict[str, list[str]]:
        """Records that each page so far waits for, by its name: after the first workload, and after
        each round but the last one, which the report shows.
        """
        start, pages = self._start, dict[str, list[str]]()
        if self._plan.scale == "smoke" or start.on_nodes or start.elsewhere:
            return pages
        for group in self._plan.groups:
            if records := self._needed(group):
                pages.setdefault("first_workload", records)
                pages.setdefault(f"round{group.number}", []).extend(records)
        return dict(list(pages.items())[:-1])

    def _begin_timing(self) -> None:
        """Print what is measured and why; end with one line if it could not be measured well."""
        or_one_line(this_machine.check, self._plan)
        start = self._start
        if start.speaks:
            start.print_summary(start.now)
        # A workflow that uses this one as a module has a profile of its own, or none.
        if "machine_percent" not in start.workflow.global_resources:
            ours, used = start.sources / "profiles/default", Path("profiles/default")
            in_place = ours.resolve() == used.resolve()
            remedy = "leave --workflow-profile out" if in_place else f"copy {ours} to {used}"
            sys.exit(
                "millistep: without the settings of profiles/default two runs could be timed at the"
                f" same time: {remedy}"
            )
        self._tell_of_conda()

    def _print_what_conda_makes(self) -> None:
        """Print which environments conda makes before the first job, without a line of its own."""
        start = self._start
        if not (start.speaks and start.use_conda) or start.workflow.output_settings.dryrun:
            return
        prefixes = [flag.with_suffix("") for flag in start.conda_folder.glob("*.env_setup_done")]
        used = (each.definition for each in self._plan.environments if each.conda)
        new = {d.stem: d for d in used if not any(is_made_of(prefix, d) for prefix in prefixes)}
        if new:
            tell(f"conda makes environments first, which takes minutes: {', '.join(new)}")


def with_signature(function: Callable[..., Any]) -> Callable[..., Any]:
    """Store a function's signature in it: Snakemake reads it several times for each job."""
    function.__signature__ = signature(function)  # type: ignore[attr-defined]
    return function


class Handlers:
    """The handlers of one start."""

    def __init__(self, start: Start):
        self._start, self._plan = start, start.plan
        self._page = Path(start.results, "report.html")
        self._drawn_before = self._drawn()

    def begin(self) -> None:
        """Set unreadable files aside, and let Snakemake wait while runs are timed."""
        if self._start.workflow.local_exec:
            # Each job that ends starts another endless chain of timers for Snakemake's limit of
            # jobs per second. After 200 jobs they take a tenth of two cores from the runs.
            self._start.workflow.scheduler.job_rate_limiter = None
        for path, _ in changes.unreadable({} if self._start.elsewhere else self._start.to_measure):
            tell(f"{path} is now {changes.set_aside(path)}")

    def end(self, complete: bool) -> None:
        """Print the table, if this start drew it, and after an early end what is kept."""
        if not self._start.speaks:
            return
        if (drawn := self._drawn()) and drawn != self._drawn_before:
            self._show_results()
        if not (complete or self._start.elsewhere):
            self._show_what_is_kept()

    def _drawn(self) -> int | None:
        return self._page.stat().st_mtime_ns if self._page.exists() else None

    def _show_what_is_kept(self) -> None:
        runs = len(self._plan.runs)
        missing = sum(changes.why(run, Path()) is not None for run in self._plan.runs)
        go_on = "run the same command again to continue"
        if not missing:
            go_on = "the lines above name other failures; the same command tries them again"
        tell(f"{runs - missing} of {runs} runs are measured and kept; {go_on}")
        pages = Path(self._start.results, "so_far").glob("*/report.html")
        if last := max(pages, key=lambda page: page.stat().st_mtime_ns, default=None):
            tell(f"report so far: {last.as_posix()}")

    def _show_results(self) -> None:
        table = self._page.with_name("table.md").read_bytes()
        summary = json.loads(self._page.with_name("summary.json").read_bytes())
        sentences = filter(None, [*summary["sentences"], cost(summary["workloads"])])
        lines = ["", *sentences, "", f"Report: {self._page.as_posix()}", ""]
        sys.stdout.flush()
        # As UTF-8: a terminal of another encoding lacks signs such as the one of a ratio.
        sys.stdout.buffer.write(table + "\n".join(lines).encode())
        sys.stdout.flush()
