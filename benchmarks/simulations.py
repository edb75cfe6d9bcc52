"""How often the statistics of the report are wrong, on simulated runs whose truth is known.

Every run is one process: its level differs from the true ms/step by a normal 0.6 % (between runs),
and its 100 steps scatter by 1.5 % around that level, autocorrelated (AR(1), 0.6 from step to step).
A drift is one of 1 % over the whole experiment.
The intervals, verdicts, best sets and classes are those of the report, by its own functions.

`of_moderation`: how often intervals hold that are weighed with the scatter of a column, as the
methods text says. Several nodes (`node_questions`): do intervals account for differences between
them? Whole tables, noise that is not normal, and power are in `verdicts`.

Prints a Markdown table and ends with 1 when a bar is missed. Lines without a bar are for contrast:
results of the same data by methods that we do not use, or the strength of a test.
"""

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import stdtr

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from finding import COVERS, NOMINAL, RARE, Finding
from node_questions import of_nodes

from analysis.statistics.best_set import best_set
from analysis.statistics.intervals import (
    MARGIN,
    Interval,
    Verdict,
    geometric_mean,
    log_t_interval,
    paired_ratio,
    run_mean_ms,
)
from analysis.statistics.mean_ratio import mean_ratio
from analysis.statistics.moderation import Prior
from analysis.statistics.steady_state import steadiness

STEP_NS, STEPS, BLOCK = 10e6, 100, 10
BETWEEN, WITHIN, MEMORY = 0.006, 0.015, 0.6
DRIFT = 0.01  # over the whole experiment
RUNS = (3, 5, 10)
CHUNK = 200  # experiments at a time, to spare memory

Row = dict[str, dict[int, float]]  # column -> round -> ms/step


@dataclass(frozen=True)
class World:
    """The truth: the columns' relative ms/step, the noise, and how the machine drifts."""

    levels: tuple[float, ...] = (1.0, 1.0)
    noise: float = 1.0  # times the noise in the module's docstring
    drift: float = 0.0
    randomised: bool = True  # the order of the columns within each round, else column by column

    def positions(self, count: int, runs: int, generator: np.random.Generator) -> np.ndarray:
        """Place of each run in the schedule, 0 to 1: experiments x columns x runs."""
        columns = len(self.levels)
        if self.randomised:
            order = generator.permuted(np.tile(np.arange(columns), (count, runs, 1)), axis=2)
            places = (np.arange(runs)[:, None] * columns + order).swapaxes(1, 2)
        else:
            order = np.arange(columns * runs).reshape(columns, runs)
            places = np.broadcast_to(order, (count, columns, runs))
        return places / (columns * runs - 1)

    def steps_ns(self, count: int, runs: int, generator: np.random.Generator) -> np.ndarray:
        """Times of steps in ns: experiments x columns x runs x steps."""
        shape = (count, len(self.levels), runs)
        noise = generator.normal(size=(*shape, STEPS))
        for step in range(1, STEPS):
            noise[..., step] *= math.sqrt(1 - MEMORY**2)
            noise[..., step] += MEMORY * noise[..., step - 1]
        logs = np.log(self.levels)[:, None] + self.drift * self.positions(count, runs, generator)
        logs = logs + self.noise * BETWEEN * generator.normal(size=shape)
        return STEP_NS * np.exp(logs[..., None] + self.noise * WITHIN * noise)

    def rows(self, count: int, runs: int, generator: np.random.Generator) -> Iterator[Row]:
        """The run means of one row of the table, experiment by experiment."""
        for _ in range(count // CHUNK):
            elapsed_ns = self.steps_ns(CHUNK, runs, generator).sum(axis=-1)
            for experiment in elapsed_ns.tolist():
                yield {
                    str(column): {
                        number: run_mean_ms([(STEPS, run_ns)])
                        for number, run_ns in enumerate(times, start=1)
                    }
                    for column, times in enumerate(experiment)
                }


ALIKE = (1.0,) * 6
PAIR, SIX = World(), World(ALIKE)
NOISY, LOUD = World(ALIKE, noise=10), World(ALIKE, noise=30)
DRIFTING, FIXED = World(ALIKE, drift=DRIFT), World(ALIKE, drift=DRIFT, randomised=False)
EDGE = World((1.0, *(1.0 + MARGIN,) * 5))
FIVE, TEN = World((*ALIKE[1:], 1.05)), World((*ALIKE[1:], 1.10))


def covers(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def covers_cell(row: Row) -> bool:
    return covers(log_t_interval(list(row["0"].values())), STEP_NS / 1e6)


def covers_ratio(row: Row) -> bool:
    return covers(paired_ratio(row["0"], row["1"]).interval, 1.0)


def differs(row: Row) -> bool:
    return paired_ratio(row["0"], row["1"]).verdict in (Verdict.FASTER, Verdict.SLOWER)


def ends_differ(row: Row) -> bool:
    """True if first and last column differ by the interval alone, without the margin of 2 %."""
    return not covers(paired_ratio(row[min(row)], row[max(row)]).interval, 1.0)


def covers_mean(row: Row) -> bool:
    """True if the mean over three rows is covered; six columns serve as three rows of two."""
    pairs = {name: (row[name], row[base]) for name, base in ("01", "23", "45")}
    return covers(mean_ratio(pairs).interval, 1.0)


def covers_best(row: Row) -> bool:
    """True if a fourth against the fastest of three, as if named in advance, is covered."""
    best = min("123", key=lambda name: geometric_mean(row[name].values()))
    return covers(paired_ratio(row["0"], row[best]).interval, 1.0)


def some_out(row: Row) -> bool:
    return len(best_set(row)) < len(row)


def some_out_uncorrected(row: Row) -> bool:
    """True if a column is slower than the fastest, each tested as if it were the only one."""
    fastest = min(row, key=lambda name: geometric_mean(row[name].values()))
    ratios = [paired_ratio(runs, row[fastest]) for name, runs in row.items() if name != fastest]
    return any(ratio.verdict is Verdict.SLOWER for ratio in ratios)


def last_out(row: Row) -> bool:
    return max(row) not in best_set(row)


QUESTIONS = (
    ("95 % interval of a cell covers the truth", PAIR, covers_cell, COVERS),
    ("95 % interval of a ratio covers the truth", PAIR, covers_ratio, COVERS),
    ("... while the machine drifts", World(drift=DRIFT), covers_ratio, COVERS),
    ("95 % interval of a mean over three rows covers the truth", SIX, covers_mean, COVERS),
    ("A/A called FASTER or SLOWER", PAIR, differs, RARE),
    ("... while the machine drifts", World(drift=DRIFT), differs, RARE),
    ("... with ten times the noise", World(noise=10), differs, RARE),
    ("Six equal columns: one is not in the best set", SIX, some_out, RARE),
    ("... while the machine drifts", DRIFTING, some_out, RARE),
    ("... with ten times the noise", NOISY, some_out, RARE),
    ("... with ten times the noise, without Holm's correction", NOISY, some_out_uncorrected, None),
    ("... with thirty times the noise", LOUD, some_out, None),
    ("One best column, five slower by 2 %: one is not in the best set", EDGE, some_out, RARE),
    ("One column of six is slower by 5 %: it is not in the best set", FIVE, last_out, None),
    ("One column of six is slower by 10 %: it is not in the best set", TEN, last_out, None),
    ("Fixed order and drift: six equal columns, first and last differ", FIXED, ends_differ, None),
    ("Randomised blocks and drift: first and last differ", DRIFTING, ends_differ, NOMINAL),
    (
        "The best of three equal columns: its ratio to a fourth covers the truth",
        SIX,
        covers_best,
        None,
    ),
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--experiments", type=int, default=10_000, help=f"a multiple of {CHUNK}")
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    print("| of simulated experiments | runs | share | bar |\n|---|---:|---:|---|")
    found = []
    for finding in findings(arguments.experiments, np.random.default_rng(arguments.seed)):
        print(finding.line, flush=True)
        found.append(finding)
    if any(finding.missed for finding in found):
        sys.exit("a bar is missed")


def findings(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Yield every line of the table."""
    for what, world, happens, bar in QUESTIONS:
        for runs in RUNS:
            share = np.mean([happens(row) for row in world.rows(count, runs, generator)])
            yield Finding(what, runs, float(share), bar)
    yield from of_moderation(count, generator)
    yield from of_one_process(count, generator)
    yield from of_nodes(count, generator)


def of_moderation(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Yield how often intervals of three runs cover the truth, where a cell truly scatters so many
    times as much as its column does in the other rows.
    """
    for times in (1.0, 1.5, 2.0, 3.0):
        runs = times * generator.normal(size=(count, 3))
        used, freedom = Prior(1.0).moderated(runs.var(axis=1, ddof=1), 2)
        held = 2 * stdtr(freedom, -abs(runs.mean(axis=1)) / np.sqrt(used / 3)) >= 0.05
        what = f"95 % interval of a cell that scatters {times:g} times as much as its column"
        yield Finding(f"{what} covers the truth", 3, float(held.mean()))


def of_one_process(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Yield what the steps of a single run tell: nothing of the next run, but if it was steady."""
    steps_ns = PAIR.steps_ns(count, 1, generator)[:, 0, 0]
    intervals = (log_t_interval(run.tolist()) for run in steps_ns)
    covered = np.mean([covers(interval, STEP_NS) for interval in intervals])
    yield Finding("95 % interval from the steps of one process covers the truth", 1, float(covered))
    alarms = np.mean([not is_steady(run) for run in steps_ns])
    yield Finding("A steady run is called not steady", 1, float(alarms), RARE)
    steps_ns[:, STEPS // 2 :] *= 1.05
    found = np.mean([not is_steady(run) for run in steps_ns])
    yield Finding("A run that slows down by 5 % halfway is called not steady", 1, float(found))


def is_steady(steps_ns: np.ndarray) -> bool:
    blocks_ns = steps_ns.reshape(-1, BLOCK).sum(axis=1)
    return steadiness([(BLOCK, round(elapsed_ns)) for elapsed_ns in blocks_ns]).steady


if __name__ == "__main__":
    main()
