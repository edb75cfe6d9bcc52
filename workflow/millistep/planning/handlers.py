"""The handlers onstart, onsuccess and onerror: what is done when Snakemake begins and ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from millistep.planning import changes
from millistep.planning.runs import cost
from millistep.planning.start import Start, tell


class Handlers:
    """The handlers of one start. before_jobs: called before the first job."""

    def __init__(self, start: Start, before_jobs: Callable[[], None] | None = None):
        self._start, self._plan, self._before_jobs = start, start.plan, before_jobs
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
        if self._before_jobs:
            self._before_jobs()

    def end(self, complete: bool) -> None:
        """Print the table, if this start drew it, and after an early end what is kept."""
        if not self._start.speaks:
            return
        if (drawn := self._drawn()) and drawn != self._drawn_before:
            self._show_results()
        if not (complete or self._start.elsewhere):
            self._show_what_is_kept()

    def _drawn(self) -> int | None:
        """Return the time of the page's last change, by its file system; None without a page."""
        return self._page.stat().st_mtime_ns if self._page.exists() else None

    def _show_what_is_kept(self) -> None:
        runs = len(self._plan.runs)
        missing = len([run for run in self._plan.runs if changes.why(run, Path())])
        go_on = "run the same command again to continue"
        if not missing:
            go_on = "what failed besides is named above, and the same command tries it again"
        tell(f"{runs - missing} of {runs} runs are measured and kept; {go_on}")
        pages = Path(self._start.results, "so_far").glob("*/report.html")
        if last := max(pages, key=lambda page: page.stat().st_mtime_ns, default=None):
            tell(f"report so far: {last.as_posix()}")

    def _show_results(self) -> None:
        """Print the table, the sentences of the first page, and where the report is."""
        sys.stdout.flush()
        sys.stdout.buffer.write(self._page.with_name("table.md").read_bytes())
        try:
            summary = json.loads(self._page.with_name("summary.json").read_text())
            sentences = [*summary["sentences"], cost(summary["workloads"])]
        except (OSError, ValueError, LookupError, TypeError):
            sentences = []
        print(
            "",
            *filter(None, sentences),
            "",
            f"Report: {self._page.as_posix()}",
            sep="\n",
            flush=True,
        )
