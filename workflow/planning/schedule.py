"""The order of the runs: randomised complete blocks, seeded."""

import random


def positions(rows: list, frameworks_of, runs: int, seed: int) -> dict[tuple, int]:
    """``{(row, framework, run): position}``.

    Round r visits every row once and, within a row, every framework once, in an
    order that is drawn anew for each round. So a slow drift of the machine falls
    on all frameworks alike.
    """
    rng = random.Random(seed)
    order = []
    for run in range(1, runs + 1):
        for row in rows:
            block = sorted(frameworks_of(row))
            rng.shuffle(block)
            order += [(row, framework, run) for framework in block]
    return {entry: position for position, entry in enumerate(order)}
