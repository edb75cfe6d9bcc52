"""The order of the runs: randomised complete blocks, seeded."""

import random
from collections.abc import Callable
from typing import TypeVar

Row = TypeVar("Row")


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
