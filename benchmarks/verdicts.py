"""Error rates of standings under realistic noise, with the statistics of the report.

    python3 benchmarks/verdicts.py [WORKLOADS] [NOISE]

A workload has six frameworks. Every run has a level of its own (1.5 %, a process is fast or slow).
The machine drifts (a random walk of 4 % over 30 s) and has spikes of 0.1 to 1 s. Windows have the
length of `laptop` scale and vary by NOISE (4 % by default) with a long tail. In turns, each window
carries over up to 2 % of the one before.
Designs: rounds and windows of a run. In `turns`, the windows of a round alternate; `apart`, each
process has all its windows in one piece. Lines with a bar decide the exit status.
"""

import sys
from collections.abc import Callable

import numpy as np
import pandas as pd

from millistep.analysis import stats
from millistep.measure.protocol import PROTOCOLS
from millistep.planning.this_machine import DEFAULT_RUNS

WORKLOAD, GROUP = ["model", "task", "batch_size"], ["model", "task", "batch_size", "stack"]
WINDOW_S = PROTOCOLS["laptop"].window_s
DEFAULT = DEFAULT_RUNS["laptop"], PROTOCOLS["laptop"].windows
DESIGNS = ((3, 20, True), (5, 20, True), (*DEFAULT, True), (*DEFAULT, False))
FRAMEWORKS, START_S = 6, 10.0
PROCESS, DRIFT, DRIFT_S, CARRIED = 0.015, 0.04, 30.0, 0.02
GAPS = (0.03, 0.05, 0.10)
GRID_S = 0.05


def machine(generator: np.random.Generator, seconds: float) -> np.ndarray:
    """Return the log slowness of the machine over time: drift and spikes."""
    number = int(seconds / GRID_S) + 2
    pull = GRID_S / DRIFT_S  # a random walk that returns
    noise = generator.normal(0, DRIFT * np.sqrt(2 * pull), number)
    drift = np.zeros(number)
    for place in range(1, number):
        drift[place] = drift[place - 1] * (1 - pull) + noise[place]
    for start in np.flatnonzero(generator.random(number) < GRID_S / 20):
        drift[start : start + int(generator.uniform(0.1, 1) / GRID_S)] += generator.uniform(
            0.1, 0.5
        )
    return drift


def a_round(
    generator: np.random.Generator, levels: np.ndarray, windows: int, turns: bool, noise: float
) -> list[np.ndarray]:
    """Return start times (s) and log times of the windows of each framework."""
    slots = FRAMEWORKS * windows
    order = np.repeat(np.arange(FRAMEWORKS), windows)
    if turns:  # A B C, C B A
        order = np.concatenate([generator.permutation(FRAMEWORKS)] * windows).reshape(windows, -1)
        order[1::2] = order[1::2, ::-1]
        order = order.ravel()
    starts = np.arange(slots) * WINDOW_S * 1.2
    if not turns:
        starts = starts + order * START_S  # the next process imports and compiles first
    slowness = machine(generator, starts[-1] + 1)
    own = levels + generator.normal(0, PROCESS, FRAMEWORKS)
    tail = noise * generator.standard_t(4, slots) / np.sqrt(2)
    logs = own[order] + slowness[(starts / GRID_S).astype(int)] + tail
    if turns:
        logs[1:] += CARRIED * generator.random(slots - 1) * (order[1:] != order[:-1])
    return [np.stack([starts[order == name], logs[order == name]]) for name in range(FRAMEWORKS)]


def tables(
    seed: int, number: int, design: tuple[int, int, bool], gap: float, noise: float
) -> pd.DataFrame:
    """Return the cells of simulated workloads, in which the last framework is slower by `gap`."""
    generator = np.random.default_rng(seed)
    rounds, windows, turns = design
    levels = np.zeros(FRAMEWORKS)
    levels[-1] = np.log1p(gap)
    ratios, cells = [], []
    for model in range(number):
        means = np.zeros((rounds, FRAMEWORKS))
        for place in range(rounds):
            found = a_round(generator, levels, windows, turns, noise)
            means[place] = [np.log(np.exp(logs).mean()) for _, logs in found]
            for new in range(FRAMEWORKS):
                for base in range(new):
                    log, pairs = stats.neighbors(*found[new], *found[base])
                    if not pairs:
                        log = means[place, new] - means[place, base]
                    ratios += [(model, base, new, log), (model, new, base, -log)]
        cells += [(model, name, np.exp(means[:, name].mean())) for name in range(FRAMEWORKS)]
    frame = pd.DataFrame(ratios, columns=["model", "base", "configuration", "log"])
    both = stats.over_rounds(
        frame.assign(task="", batch_size=1, machine=""), [*WORKLOAD, "base", "configuration"]
    )
    table = pd.DataFrame(cells, columns=["model", "configuration", "ms"])
    table = table.assign(
        task="", batch_size=1, stack="", comparable=True, runs=rounds, why_excluded=""
    )
    result = stats.with_the_fastest(table, both.reset_index(), GROUP, WORKLOAD)
    truth = both.reset_index().assign(
        truth=lambda of: np.exp(levels[of["configuration"]] - levels[of["base"]])
    )
    result.attrs["coverage"] = truth["truth"].between(truth["low"], truth["high"]).mean()
    result.attrs["width"] = np.sqrt(truth["high"] / truth["low"]).median() - 1
    return result


def main(number: int = 300, noise: float = 0.04) -> int:
    """Print a line per question and return 1 if a bar is missed."""
    lines: list[tuple[str, float, Callable[[float], bool] | None]] = []
    for design in DESIGNS:
        rounds, windows, turns = design
        name = f"{rounds} rounds of {windows}, {'turns' if turns else 'apart'}"
        equal = tables(1, number, design, 0.0, noise)
        wrong = equal.groupby("model")["standing"].agg(lambda of: of.eq(stats.SLOWER).any()).mean()
        bars = (
            (lambda share: 0.93 <= share <= 0.97, lambda share: share <= 0.05)
            if turns
            else (None, None)
        )
        lines.append(
            (f"{name}: intervals that contain the truth", equal.attrs["coverage"], bars[0])
        )
        lines.append((f"{name}: median half-width of an interval", equal.attrs["width"], None))
        lines.append((f"{name}: workloads with a false `slower`", wrong, bars[1]))
        for gap in GAPS:
            found = tables(2, number // 3, design, gap, noise)
            last = found[found["configuration"] == FRAMEWORKS - 1]
            share = last["standing"].eq(stats.SLOWER).mean()
            lines.append((f"{name}: {gap:.0%} slower is found", share, None))
    missed = 0
    print("| question | share | bar |\n|:--|--:|:--|")
    for text, share, bar in lines:
        met = "" if bar is None else "met" if bar(share) else "missed"
        missed += met == "missed"
        print(f"| {text} | {share:.1%} | {met} |")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *map(float, sys.argv[2:])))
