"""The random order of a plan's runs, and the priorities of the jobs that time them."""

from __future__ import annotations

import random
from collections.abc import Callable

from millistep.planning.cells import Row
from millistep.planning.groups import Group


def positions(
    rows: list[Row],
    configurations_of: Callable[[Row], list[str]],
    runs_of: Callable[[Row], int],
    seed: int,
) -> dict[tuple[Row, str, int], int]:
    """Return the position of every run, by its workload, configuration and number.

    Each round visits every workload that has a run left, and shuffles its configurations. It
    shuffles a workload without a run, too, so that changing its runs keeps the order of the others.
    """
    rng = random.Random(seed)
    order = []
    for run in range(1, max(map(runs_of, rows)) + 1):
        for row in rows:
            names = sorted(configurations_of(row))
            rng.shuffle(names)
            if run <= runs_of(row):
                order += [(row, name, run) for name in names]
    return {entry: position for position, entry in enumerate(order)}


def priorities(groups: list[Group], known_steps: str) -> dict[str, int]:
    """Return the priorities of all jobs that time something, by their file; the first is highest.

    The known steps of the self-test follow the first round: the first number need not wait.
    """
    first = [path for group in groups if group.number == 1 for path in (*group.files, group.done)]
    later = [path for group in groups if group.number > 1 for path in (*group.files, group.done)]
    files = [*first, known_steps, *later]
    return {path: len(files) - place for place, path in enumerate(files)}
