"""Whole simulated tables, in which some cells scatter more than others: for what `simulations.py`
asks about moderated variances and about statements over all rows.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from analysis.statistics.best_set import Contest, Standing, shown_slower_of
from analysis.statistics.intervals import Interval, log_t_interval, paired_ratio
from analysis.statistics.moderation import Prior, Sample
from analysis.statistics.table_scatter import UNKNOWN, Scattered, TableScatter, table_scatter

BLOCKS = 10  # of a run
STEP_MS = 10.0
NOISIEST = 0.10  # of the cells, by their true scatter

Rows = list[dict[str, Scattered]]
Weigh = Callable[[Rows], TableScatter]


@dataclass(frozen=True)
class Tables:
    """How tables are made. All cells are equally fast but those of `slower`: (row, column) to a
    factor.

    The scatter of a cell's run means is log-normal around `scatter`: its logarithm varies by
    `spread` from cell to cell. That of the blocks within a run varies as much, with a correlation
    of `follows` between the two logarithms.
    """

    rows: int = 12
    columns: int = 5
    scatter: float = 0.02
    spread: float = 0.0
    follows: float = 0.0
    slower: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def draw(self, runs: int, generator: np.random.Generator) -> tuple[Rows, np.ndarray]:
        """The rows of one table, and the true scatter of every cell: rows x columns."""
        shape = (self.rows, self.columns)
        between, own = generator.normal(size=(2, *shape))
        within = self.follows * between + math.sqrt(1 - self.follows**2) * own
        scatter, blocks = (self.scatter * np.exp(self.spread * x) for x in (between, within))
        freedom = runs * (BLOCKS - 1)
        variances = blocks**2 * generator.chisquare(freedom, shape) / freedom
        logs = scatter[..., None] * generator.normal(size=(*shape, runs))
        for place, factor in self.slower.items():
            logs[place] += math.log(factor)
        times = STEP_MS * np.exp(logs)
        return [
            {
                str(column): Scattered(dict(enumerate(cell, start=1)), variance)
                for column, (cell, variance) in enumerate(zip(*row, strict=True))
            }
            for row in zip(times.tolist(), variances.tolist(), strict=True)
        ], scatter


def plain(rows: Rows) -> TableScatter:
    """Every cell by its own runs alone."""
    return UNKNOWN


@dataclass(frozen=True)
class Drawn(Prior):
    """As limma moderates: noisy cells are drawn downwards too."""

    def moderated(self, sample: Sample) -> tuple[float, float]:
        own, lent = sample.degrees_of_freedom, min(self.degrees_of_freedom, self.most)
        prior = self.variance(sample.covariate)
        return (own * sample.variance + lent * prior) / (own + lent), min(own + lent, self.most)


def drawn(rows: Rows) -> TableScatter:
    """The table's own priors, used as in limma."""
    found = table_scatter(rows)
    return TableScatter(*(_drawn(getattr(found, part.name)) for part in fields(found)))


def _drawn(prior: Prior | None) -> Drawn | None:
    return Drawn(**vars(prior)) if prior else None


@dataclass(frozen=True)
class Coverage:
    """Share of intervals that cover the truth, of all and of the noisiest tenth, and the median
    half-width.
    """

    every: float
    noisiest: float
    half_width: float


def coverage(
    tables: Tables, runs: int, weigh: Weigh, count: int, generator: np.random.Generator
) -> tuple[Coverage, Coverage]:
    """Of the intervals of cells and of ratios to the first column, over so many tables."""
    cells, ratios = [], []
    for _ in range(count):
        rows, scatter = tables.draw(runs, generator)
        found = weigh(rows)
        cells.append(_covered(_cell_intervals(rows, found), STEP_MS, scatter))
        of_pair = np.hypot(scatter[:, 1:], scatter[:, :1])
        ratios.append(_covered(_ratio_intervals(rows, found), 1.0, of_pair))
    return _coverage(cells), _coverage(ratios)


def _cell_intervals(rows: Rows, scatter: TableScatter) -> Iterator[Interval]:
    for row in rows:
        for cell in row.values():
            yield log_t_interval(list(cell.runs.values()), scatter.of_cell(cell))


def _ratio_intervals(rows: Rows, scatter: TableScatter) -> Iterator[Interval]:
    for row in rows:
        base, *others = row.values()
        for cell in others:
            yield paired_ratio(cell.runs, base.runs, scatter.of_pair(cell, base)).interval


def _covered(intervals: Iterator[Interval], truth: float, scatter: np.ndarray) -> np.ndarray:
    """Covered or not, among the noisiest or not, half-width: 3 x intervals."""
    found = [(ends.low <= truth <= ends.high, ends.half_width) for ends in intervals]
    covered, widths = np.array(found, float).T
    noisiest = scatter.ravel() >= np.quantile(scatter, 1 - NOISIEST)
    return np.array([covered, noisiest, widths])


def _coverage(tables: list[np.ndarray]) -> Coverage:
    covered, noisiest, widths = np.concatenate(tables, axis=1)
    worst = covered[noisiest > 0].mean()
    return Coverage(float(covered.mean()), float(worst), float(np.median(widths)))


def contests(rows: Rows, scatter: TableScatter) -> list[Contest]:
    """Every row as the report compares it."""
    return [_contest(row, scatter) for row in rows]


def _contest(row: dict[str, Scattered], scatter: TableScatter) -> Contest:
    return Contest(
        {name: cell.runs for name, cell in row.items()},
        lambda name, base: scatter.of_pair(row[name], row[base]),
    )


def each_is_behind(rows: Rows, scatter: TableScatter, corrected: bool) -> bool:
    """Whether every column is shown slower in some row: by one correction over all rows, or by one
    in each row alone.
    """
    held = contests(rows, scatter)
    alone = [slower for row in held for slower in shown_slower_of([row])]
    return set().union(*(shown_slower_of(held) if corrected else alone)) == set(rows[0])


def standing_of_last(rows: Rows, scatter: TableScatter) -> Standing:
    """Of the last column in the first row."""
    return contests(rows[:1], scatter)[0].standings()[max(rows[0])]
