"""The handlers onstart, onsuccess and onerror: what is done when Snakemake begins and ends."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from deploy.environments import write_atomically
from planning import changes, conclusion, so_far
from planning.jobs import Jobs
from planning.start import Start, tell
from supervise import running


class Handlers:
    """The handlers of one start; jobs: the answers for its rules."""

    def __init__(self, start: Start, jobs: Jobs):
        self._start, self._jobs, self._plan = start, jobs, start.plan
        # Blocks that are measured in parallel write their lines into files; this shows them.
        self._lines = running.Shown(Path(start.results, running.FOLDER), sys.stderr)
        self._page = Path(start.results, "report.html")
        self._drawn_before = self._drawn()

    def begin(self) -> None:
        """Set unreadable files aside, and from now on show the lines of jobs without a terminal."""
        if self._start.workflow.local_exec:
            # Each job that has ended would have Snakemake's limit of jobs per second look through
            # all that are ready once more a second: after 200 of them for a tenth of the time of
            # two processors, which is that of the runs.
            self._start.workflow.scheduler.job_rate_limiter = None
        for path, _ in changes.unreadable({} if self._start.elsewhere else self._start.to_measure):
            tell(f"{path} is now {changes.set_aside(path)}")
        if self._start.beside and not self._start.in_block:
            write_atomically(self._start.planned, json.dumps(self._plan.resolved()))
            write_atomically(self._start.asked, json.dumps(self._start.asked_of_blocks))
            self._lines.start()

    def end(self, complete: bool) -> None:
        """Print the table and what follows from it, unless it is older than this start; if it ended
        early, say what is kept.
        """
        self._lines.stop()
        self._jobs.forget_what_could_not_begin()
        if self._start.in_block:
            return
        if (drawn := self._drawn()) and drawn != self._drawn_before:
            self._show_results(self._page)
        if not (complete or self._start.elsewhere):
            self._show_what_is_kept()

    def _drawn(self) -> int | None:
        """When the page was drawn, by the clock of its file system; None if it is not there."""
        return self._page.stat().st_mtime_ns if self._page.exists() else None

    def _show_what_is_kept(self) -> None:
        """Say after an early end how many runs are there, and how to go on."""
        runs = len(self._plan.runs)
        missing = len([run for run in self._plan.runs if changes.why(run, Path())])
        go_on = "the same command goes on from there"
        if not missing:
            go_on = "what failed besides is named above, and the same command tries it again"
        tell(f"{runs - missing} of {runs} runs are measured and kept; {go_on}")
        pages = Path(self._start.results, so_far.FOLDER).glob("*/report.html")
        if last := max(pages, key=lambda page: page.stat().st_mtime_ns, default=None):
            tell(f"what they show so far: {last.as_posix()}")

    def _show_results(self, page: Path) -> None:
        """Print the table, what it shows, and where the report is."""
        sys.stdout.flush()
        sys.stdout.buffer.write(page.with_name("table.md").read_bytes())
        call = None if self._start.elsewhere else self._call()
        found = conclusion.lines(page.with_name("conclusion.json"), call)
        print("", *found, "", f"Report: {page.as_posix()}", sep="\n", flush=True)

    def _call(self) -> conclusion.Call:
        asked = self._start.workflow.config_settings
        return conclusion.Call(
            configfiles=tuple(conclusion.relative(str(path)) for path in asked.configfiles),
            overrides=tuple(asked.config_args),
            use_conda=self._start.use_conda,
            study=(self._plan.config.get("study") or {}).get("name"),
            by_make="MAKELEVEL" in os.environ,
            slots=self._plan.slots,
            on_nodes=self._start.on_nodes,
        )
