"""Effect of choosing the best of a family from the same runs, on the factor and on claims."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from tables import table
from worlds import COLUMNS, ROWS

from analysis.claims.claim_tests import TESTS
from analysis.comparisons.gains import gains


def bias(scatter: float, rounds: int, tables: int, generator: np.random.Generator) -> float:
    """Bias of the printed factor of the fastest of three over the one column of Keras 2, all
    equally fast, after the part that is stated beside it as due to the choice.
    """
    logs = []
    for _ in range(tables):
        noise = scatter * generator.normal(size=(ROWS, COLUMNS, rounds))
        for gain in gains(table(noise), "keras3", "keras2"):
            logs.append(math.log(gain.ratio.value) - math.log(gain.luck))
    return math.exp(float(np.mean(logs))) - 1


def falsely_holds(
    scatter: float, rounds: int, tables: int, generator: np.random.Generator
) -> float:
    """Share of claims said to hold that a family gains at least what it truly gains."""
    held = []
    for _ in range(tables):
        found = table(scatter * generator.normal(size=(ROWS, COLUMNS, rounds)))
        for row in found.rows:
            claim = {"new": "keras3", "base": "keras2", "model": row.row.model, "task": "fit"}
            outcome = TESTS["gain_at_least"](replace(found, rows=(row,)), **claim, gain=0.0)
            held.append(outcome.holds is True)
    return float(np.mean(held))
