"""When results so far are shown: between blocks, for readers who wait or stop early."""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import Any

from planning.blocks import Block
from planning.jobs import Jobs, OfJob
from planning.start import Start
from supervise.sitting import AFTER

FOLDER = "so_far"  # in the results' folder
SHOWS_NOTHING = "smoke"  # a scale that ends before anybody would look


class SoFar:
    """The files of one start: a page after the first block and each round, and each row's
    verdict from its second round on.

    Only what this start measures changes a page; after the last block comes the report instead.
    """

    def __init__(self, start: Start, jobs: Jobs):
        self._start, self._plan, self._jobs = start, start.plan, jobs
        self._folder = f"{start.plan.results}/{FOLDER}"

    def files(self, wildcards: Any) -> list[str]:
        """The pages and verdicts that this start writes."""
        return [*self._until]

    def measured_before(self, pattern: str) -> OfJob:
        """Find the records that a file waits for, those that its blocks measure now, and their last
        canaries. A file that is asked for later waits for nothing.
        """

        def files(wildcards: Any) -> list[str]:
            blocks, now = self._blocks(pattern, wildcards), self._start.now
            runs = (run.record for block in blocks for run in block.runs if run.record in now)
            return [*runs, *(path for block in blocks for path in block.canaries(AFTER))]

        return files

    def priority(self, pattern: str) -> OfJob:
        """Find a file's priority: just after the last block it waits for, before the next."""

        def of_job(wildcards: Any) -> int:
            blocks = self._blocks(pattern, wildcards)
            return self._plan.order.priorities[blocks[-1].files[-1]] - 1 if blocks else 0

        return of_job

    def _blocks(self, pattern: str, wildcards: Any) -> list[Block]:
        return self._until.get(pattern.format(**wildcards), [])

    @cached_property
    def _now(self) -> list[Block]:
        if self._plan.scale == SHOWS_NOTHING:
            return []
        return [block for block in self._plan.blocks if block.path in self._jobs.blocks_now]

    @cached_property
    def _until(self) -> dict[str, list[Block]]:
        """The blocks that each file waits for."""
        found: dict[str, list[Block]] = {}
        now = self._now
        rounds = {number: list(of) for number, of in groupby(now, lambda block: block.number)}
        for number, of_round in rounds.items():
            if of_round[-1] is not now[-1]:
                found[self._page(f"round{number}")] = of_round
        if len(next(iter(rounds.values()), [])) > 1:
            found[self._page("first_row")] = now[:1]
        for block in now[:-1]:
            if block.number > 1:  # from then on there are intervals
                row = f"{block.row.model}/{block.row.task}-b{block.row.batch_size}"
                file = f"{self._plan.scale}/{row}/round{block.number}.txt"
                found[f"{self._folder}/{file}"] = [block]
        return found

    def _page(self, name: str) -> str:
        return f"{self._folder}/{name}/report.html"
