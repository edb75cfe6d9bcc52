"""Kinds of noise that a table of runs may have: from a seed to logarithms of run means.

A table has 12 rows and 6 columns. What a world draws is the noise of every process, rows x columns
x rounds, around a true log ratio of 0. Scatter is a relative standard deviation between processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROWS, COLUMNS = 12, 6
Noise = Callable[[int, np.random.Generator], np.ndarray]  # given a number of rounds
Starts = Callable[[int], np.ndarray]  # start of each of so many rounds, by number
COVERS = (0.93, 1.0)


@dataclass(frozen=True)
class World:
    """`affected` are the cells (row, column) that the noise singles out, or all; `cover` is the
    share of their intervals that has to hold the truth. `tells` is true of the logarithms of such a
    cell if they show what is particular to it: if not, no method can know more, and `cover` is
    asked only of the others. `starts` are the starts in the records.
    """

    words: str
    noise: Noise
    affected: Callable[[int, int], bool] = lambda row, column: True
    cover: tuple[float, float] | None = COVERS
    tells: Callable[[np.ndarray], bool] | None = None
    starts: Starts = np.zeros


def normal(scatter: float | np.ndarray) -> Noise:
    """Normal noise: one standard deviation, or one per cell."""
    return lambda rounds, generator: (
        generator.normal(size=(ROWS, COLUMNS, rounds))
        * np.broadcast_to(scatter, (ROWS, COLUMNS))[..., None]
    )


def modes(of: np.ndarray, apart: float = 0.04, scatter: float = 0.005) -> Noise:
    """Every process of some cells is `apart` faster or slower, as memory happens to be laid out."""

    def draw(rounds: int, generator: np.random.Generator) -> np.ndarray:
        signs = generator.choice((-1.0, 1.0), size=(ROWS, COLUMNS, rounds))
        return apart * signs * of[..., None] + normal(scatter)(rounds, generator)

    return draw


def two_starts(shift: float, scatter: float = 0.01) -> Noise:
    """Noise of two starts, each of half of the rounds: in each a cell is faster or slower by a
    normal `shift` in all its rounds.
    """

    def draw(rounds: int, generator: np.random.Generator) -> np.ndarray:
        of_starts = shift * generator.normal(size=(ROWS, COLUMNS, 2))
        return normal(scatter)(rounds, generator) + of_starts[..., halves(rounds)]

    return draw


def halves(rounds: int) -> np.ndarray:
    """0 for a round of the first start, 1 for one of the second."""
    return (np.arange(rounds) >= (rounds + 1) // 2).astype(int)


def both_modes(logs: np.ndarray) -> bool:
    """True if there are processes of both modes, which lie 8 % apart."""
    return bool(np.ptp(logs) > 0.04)


def mixture(rounds: int, generator: np.random.Generator) -> np.ndarray:
    """Noise with columns and rows of unlike scatter, heavy tails, one column of two modes, and
    drift from round to round.
    """
    of_columns = np.exp(generator.normal(scale=0.6, size=COLUMNS))
    of_rows = np.exp(generator.normal(scale=0.6, size=(ROWS, 1)))
    heavy = generator.standard_t(4, size=(ROWS, COLUMNS, rounds)) / math.sqrt(2)
    drift = 0.02 * generator.normal(size=(ROWS, 1, rounds)).cumsum(axis=-1)
    scattered = 0.01 * (of_columns * of_rows)[..., None] * heavy
    return scattered + drift + modes(where(column=5))(rounds, generator)


def where(row: int | None = None, column: int | None = None) -> np.ndarray:
    """1 in a column, or in one cell of it, or everywhere; 0 elsewhere."""
    found = np.zeros((ROWS, COLUMNS))
    found[slice(None) if row is None else row, slice(None) if column is None else column] = 1
    return found


def _lone(times: float) -> np.ndarray:
    return 0.01 * (1 + (times - 1) * where(0, 5))


QUIET_TWO = np.where(np.arange(COLUMNS) < 2, 0.003, 0.03)
ROWS_DIFFER = 0.01 * np.geomspace(0.3, 3, ROWS)[:, None]


def _in_last(row: int, column: int) -> bool:
    return column == COLUMNS - 1


def _last_of_first(row: int, column: int) -> bool:
    return _in_last(row, column) and row == 0


LONE_MODES = World(
    "one lone cell of two modes, others 0.5 %",
    modes(where(0, 5)),
    _last_of_first,
    tells=both_modes,
)
UNSHIFTED = World("rounds of two starts that shift nothing, CV 1 %", normal(0.01), starts=halves)
WORLDS = (
    World("even, CV 1 %", normal(0.01)),
    World("even, CV 2 %", normal(0.02)),
    World("even, CV 5 %", normal(0.05)),
    World("even, CV 15 %", normal(0.15)),
    World("one column of two modes (± 4 %), others 0.5 %", modes(where(column=5)), _in_last),
    World("all columns of two modes (± 4 %)", modes(where())),
    LONE_MODES,
    World("one lone cell with five times the scatter (1 %)", normal(_lone(5)), _last_of_first),
    World("one cell without scatter, others 1 %", normal(_lone(0)), _last_of_first),
    World(
        "two quiet columns (0.3 %) among four noisy ones (3 %)",
        normal(QUIET_TWO),
        lambda row, column: column < 2,
    ),
    World("rows from 0.3 to 3 %", normal(ROWS_DIFFER)),
    World(
        "rounds of two starts, that shift a cell by half its scatter",
        two_starts(0.005),
        starts=halves,
    ),
    World("mixture", mixture, _in_last),
)
