"""Dependent steps of many kinds, timed by the protocol's own timer on a clock that the simulation
turns, and classed by the report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from analysis.results.cells import Cell, settled
from analysis.results.plan import Column, Row
from analysis.results.runs import OK, Run
from analysis.results.timing import Block
from measure.protocol import PROTOCOLS
from measure.timer import Timer

STEP_NS = 3e8
LONGEST = 1200  # steps that a run may take
ROW = Row("m", "fit", 32, "m fit", 32, "m fit")
COLUMN = Column("c", "c", "keras3", "c")


@dataclass(frozen=True)
class Steps:
    """`factors` draws the times of a run's steps over the level; `truth` is their long-run mean."""

    words: str
    factors: Callable[[np.random.Generator], np.ndarray]
    truth: float = 1.0


def autocorrelated(
    memory: float, scatter: float = 0.02
) -> Callable[[np.random.Generator], np.ndarray]:
    """Factors of a stationary AR(1) process."""
    from scipy.signal import lfilter

    def draw(generator: np.random.Generator) -> np.ndarray:
        shocks = generator.normal(size=LONGEST + 200) * np.sqrt(1 - memory**2)
        return np.exp(scatter * lfilter([1.0], [1.0, -memory], shocks)[200:])

    return draw


def spikes(times: float, every: int = 50) -> Callable[[np.random.Generator], np.ndarray]:
    """From a random step on, each so-many-th takes so many times as long; 0.5 % of scatter."""

    def draw(generator: np.random.Generator) -> np.ndarray:
        factors = np.exp(0.005 * generator.normal(size=LONGEST))
        factors[generator.integers(every) :: every] *= times
        return factors

    return draw


def decay(start: float = 0.10, constant: float = 100.0, scatter: float = 0.01):
    """Factors that fall towards the level, ever more slowly."""

    def draw(generator: np.random.Generator) -> np.ndarray:
        slower = 1 + start * np.exp(-np.arange(LONGEST) / constant)
        return slower * np.exp(scatter * generator.normal(size=LONGEST))

    return draw


STATIONARY = (
    Steps("AR(1) 0, sd 2 %", autocorrelated(0.0)),
    Steps("AR(1) 0.6, sd 2 %", autocorrelated(0.6)),
    Steps("AR(1) 0.9, sd 2 %", autocorrelated(0.9)),
)
SPIKES = tuple(
    Steps(f"spikes x {times} each 50th step", spikes(times), 1 + (times - 1) / 50)
    for times in (4, 11)
)
DECAY = Steps("decay from + 10 %, time constant 100 steps", decay())


def timed(
    steps: Steps, scale: str, generator: np.random.Generator, step_ns: float = STEP_NS
) -> Timer:
    """Time one run, through first step, warm-up and blocks."""
    times_ns = (step_ns * steps.factors(generator)).tolist()
    now = 0.0
    timer = Timer(PROTOCOLS[scale], lambda: None, lambda: 0, clock=lambda: round(now))
    timer.start()
    for step_ns in times_ns:
        if timer.tick():
            return timer
        now += step_ns
    raise RuntimeError(f"{steps.words}: more than {LONGEST} steps")


def cell_of(timers: list[Timer]) -> Cell:
    """The timed runs as a cell of the report."""
    runs = (
        Run(number, number, "", OK, "", _record(timer)) for number, timer in enumerate(timers, 1)
    )
    return settled(Cell(ROW, COLUMN, None, tuple(runs)))


def _record(timer: Timer) -> SimpleNamespace:
    return SimpleNamespace(
        timing=SimpleNamespace(
            blocks=tuple(Block(steps, elapsed_ns) for steps, elapsed_ns in timer.blocks)
        ),
        load=SimpleNamespace(foreign_cpu_share=0.0),
        session=None,
        monitor=None,
    )


@dataclass(frozen=True)
class Seen:
    """Shares of runs and of cells that are not steady, and the bias of the cells' means."""

    runs: float
    cells: float
    bias: float


def seen(steps: Steps, rounds: int, cells: int, scale: str, generator: np.random.Generator) -> Seen:
    """Simulate so many cells, and class them."""
    found = [cell_of([timed(steps, scale, generator) for _ in range(rounds)]) for _ in range(cells)]
    runs = [not run.steadiness.steady for cell in found for run in cell.runs]
    means = [cell.step_ms * 1e6 / STEP_NS for cell in found]
    return Seen(
        float(np.mean(runs)),
        float(np.mean([not cell.steady for cell in found])),
        float(np.mean(means)) / steps.truth - 1,
    )
