"""Simulated tables, through the report's own cells, rows and verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from worlds import COLUMNS, ROWS, Starts, World

from analysis.results.cells import Cell, cell_ratio
from analysis.results.plan import Column, Row
from analysis.results.results import Results, moderated
from analysis.results.rows import RowCells
from analysis.results.runs import OK, Run
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import Sitting, Verdict
from analysis.statistics.steady_state import Steadiness, SteadyState

STEP_MS = 10.0
FAMILIES = ("keras3", "keras3", "keras3", "pytorch", "pytorch", "keras2")
GAPS = (0.02, 0.03, 0.05, 0.10)  # by which the second column is slower, to find the power
PER_GAP = ROWS // len(GAPS)


@dataclass(frozen=True)
class Simulated(Run):
    """A steady run of so many ms/step, in a session of its round."""

    mean_ms: float = 0.0
    start: str = ""

    @property
    def step_ms(self) -> float:
        return self.mean_ms

    @property
    def sitting(self) -> Sitting:
        return Sitting(self.number, start=self.start)

    @property
    def steadiness(self) -> Steadiness:
        return Steadiness(SteadyState.NOT_TESTED, blocks=0, tail_blocks=0, mean_over_tail=1.0)

    synchronised_ms = legacy_ms = None


def table(logs: np.ndarray, starts: Starts = np.zeros) -> Results:
    """Results from logarithms of run means over the common level: rows x columns x rounds; a lost
    run is not a number.
    """
    of_rounds = list(map(str, starts(logs.shape[-1])))
    columns = [Column(f"c{i}", f"c{i}", FAMILIES[i], f"c{i}") for i in range(logs.shape[1])]
    times = STEP_MS * np.exp(logs)
    rows = []
    for number, of_row in enumerate(times.tolist()):
        row = Row(f"m{number}", "fit", 32, f"m{number} fit", 32, f"m{number} fit")
        cells = (
            Cell(row, column, None, tuple(_runs(of_cell, of_rounds)))
            for column, of_cell in zip(columns, of_row, strict=True)
        )
        rows.append(RowCells(row, tuple(cells)))
    return moderated(Results(None, tuple(rows), digest=""))


def _runs(of_cell: Sequence[float], starts: Sequence[str]):
    for number, (mean_ms, start) in enumerate(zip(of_cell, starts, strict=True), start=1):
        if not math.isnan(mean_ms):
            yield Simulated(number, number, "", OK, "", None, mean_ms=mean_ms, start=start)


@dataclass
class Counts:
    """Shares of one world and number of rounds, over all tables."""

    rows_with_false_slower: float
    tables_with_false_slower: float
    pairs_cover: float
    affected_pairs_cover: float
    telling_pairs_cover: float  # share of the affected pairs whose runs show by what they are
    half_width: float  # median half-width of pairs that are not affected


def count(world: World, rounds: int, tables: int, generator: np.random.Generator) -> Counts:
    """Count errors about equal columns: whatever is significantly slower is so falsely."""
    rows, any_row, covered, affected, telling, widths = [], [], [], [], [], []
    for _ in range(tables):
        logs = world.noise(rounds, generator)
        found = table(logs, world.starts)
        false = [Standing.SLOWER in row.standings.values() for row in found.rows]
        rows += false
        any_row.append(any(false))
        for number, row in enumerate(found.rows):
            for (i, cell), (j, base) in combinations(enumerate(row.cells), 2):
                ends = cell_ratio(cell, base).interval
                holds = ends.low <= 1 <= ends.high
                covered.append(holds)
                singled_out = [column for column in (i, j) if world.affected(number, column)]
                if not singled_out:
                    widths.append(ends.half_width)
                    continue
                affected.append(holds)
                if world.tells and all(world.tells(logs[number, c]) for c in singled_out):
                    telling.append(holds)
    return Counts(*map(_mean, (rows, any_row, covered, affected, telling)), _median(widths))


def lone_cell(
    world: World, rounds: int, tables: int, generator: np.random.Generator
) -> tuple[float, float]:
    """For the last cell of the first row, which the noise singles out: share of its intervals that
    hold the truth, and share of its rows with a false slower.
    """
    covered, false = [], []
    for _ in range(tables):
        row = table(world.noise(rounds, generator)).rows[0]
        ends = [cell_ratio(cell, row.cells[-1]).interval for cell in row.cells[:-1]]
        covered += [each.low <= 1 <= each.high for each in ends]
        false.append(Standing.SLOWER in row.standings.values())
    return _mean(covered), _mean(false)


def power(world: World, rounds: int, tables: int, generator: np.random.Generator) -> list[float]:
    """Share of rows in which the second column, slower by each of GAPS, is significantly slower."""
    shown = np.zeros((tables, ROWS))
    gaps = np.log1p(np.repeat(GAPS, PER_GAP))
    for number in range(tables):
        logs = world.noise(rounds, generator)
        logs[:, 1] += gaps[:, None]
        standings = [row.standings["c1"] for row in table(logs, world.starts).rows]
        shown[number] = [standing is Standing.SLOWER for standing in standings]
    return shown.reshape(tables, len(GAPS), PER_GAP).mean(axis=(0, 2)).tolist()


def quiet_pair(world: World, rounds: int, tables: int, generator: np.random.Generator) -> float:
    """Share of rows in which the ratio of the first two columns, of which the second is slower by
    3 %, is SLOWER: the verdict of an effect, which has no rivals.
    """
    shown = []
    for _ in range(tables):
        logs = world.noise(rounds, generator)
        logs[:, 1] += math.log1p(0.03)
        for row in table(logs).rows:
            shown.append(cell_ratio(row.cells[1], row.cells[0]).verdict is Verdict.SLOWER)
    return _mean(shown)


def silence(rounds: int, tables: int, generator: np.random.Generator) -> tuple[float, float]:
    """Widening of the other intervals by one cell without scatter: the same runs with its own
    scatter and without. Median over all cells; mean for those of its column.
    """
    every, column = [], []
    for _ in range(tables):
        logs = 0.01 * generator.normal(size=(ROWS, COLUMNS, rounds))
        before = _widths(table(logs))
        logs[0, 0] = 0.0
        wider = _widths(table(logs)) / before - 1
        every.append(_median(wider.ravel()[1:]))
        column.append(_mean(abs(wider[1:, 0])))
    return _median(every), _mean(column)


def _widths(found: Results) -> np.ndarray:
    widths = [math.log1p(cell.interval.half_width) for cell in found.cells]
    return np.maximum(np.reshape(widths, (ROWS, COLUMNS)), 1e-9)


def lost_round(rounds: int, tables: int, generator: np.random.Generator) -> float:
    """Change in how often a column that lost a round has the lowest mean of six equal ones, if that
    round took exp(0.10) times as long for all, against one like all others.
    """
    lowest: tuple[list[bool], list[bool]] = ([], [])
    for _ in range(tables):
        logs = 0.01 * generator.normal(size=(ROWS, COLUMNS, rounds))
        logs[:, 0, 0] = np.nan
        for slower, found in zip((0.0, 0.10), lowest, strict=True):
            logs[..., 0] += slower
            for row in table(logs).rows:
                fastest = min(row.cells, key=lambda cell: cell.step_ms)
                found.append(fastest.column.name == "c0")
    usual, slow = map(_mean, lowest)
    return slow - usual


def single_run(rounds: int, tables: int, generator: np.random.Generator) -> float:
    """Share of rows of equal columns, one of them with a single run, that compare nothing."""
    void = []
    for _ in range(tables):
        logs = 0.01 * generator.normal(size=(ROWS, COLUMNS, rounds))
        logs[:, 0, 1:] = np.nan
        for row in table(logs).rows:
            void.append({*row.standings.values()} == {Standing.NOT_COMPARED})
    return _mean(void)


def _mean(values) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _median(values) -> float:
    return float(np.median(values)) if len(values) else math.nan
