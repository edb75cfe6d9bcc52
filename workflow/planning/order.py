"""The order of a plan's runs, which is drawn, and of the jobs that measure them."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cached_property

from planning.cells import Row


def positions(
    rows: list[Row],
    frameworks_of: Callable[[Row], list[str]],
    runs_of: Callable[[Row], int],
    seed: int,
) -> dict[tuple[Row, str, int], int]:
    """The position of every run, by its row, framework (the name of a column) and number.

    Round r visits once every row that has at least r runs and, within a row, every framework once,
    in an order that is drawn anew for each round. So a slow drift of the machine falls on all
    frameworks alike. A row is drawn for in rounds that it does not have, too, so that its number of
    runs does not change the order of the others.
    """
    rng = random.Random(seed)
    order = []
    for run in range(1, max(map(runs_of, rows)) + 1):
        for row in rows:
            block = sorted(frameworks_of(row))
            rng.shuffle(block)
            if run <= runs_of(row):
                order += [(row, framework, run) for framework in block]
    return {entry: position for position, entry in enumerate(order)}


class Order:
    """The order of the jobs of one plan, as Snakemake's priorities."""

    def __init__(self, plan):
        self._plan = plan

    @cached_property
    def steps(self) -> list[tuple[str, list[str]]]:
        """The steps that are measured in turn, each a name and the files that its jobs write.

        The known steps of the self-test follow the first round: they hold for all runs, and the
        first number need not wait for them.
        """
        known_steps = self._plan.controls.known_steps.path
        steps = [(block.number, block.done, block.files) for block in self._plan.blocks]
        first = [(done, files) for number, done, files in steps if number == 1]
        later = [(done, files) for number, done, files in steps if number > 1]
        return [*first, (known_steps, [known_steps]), *later]

    @cached_property
    def priorities(self) -> dict[str, int]:
        """Priorities of jobs by the file or the whole block that they write; the first is highest.

        Between two steps a number is left free for a deployment.
        """
        found, priority = {}, 0
        for name, files in reversed(self.steps):
            priority += 2
            for path in reversed(files):
                priority += 1
                found[path] = priority
            found[name] = priority
        return found

    @property
    def of_analysis(self) -> int:
        """The priority of deploying the analysis: after the first step, before all others."""
        _, files = self.steps[0]
        return self.priorities[files[-1]] - 1
