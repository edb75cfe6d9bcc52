"""Answers on a pull request, simulated through the program's own verdicts: how often a patch that
changes nothing is called slower or faster, and how often one that makes its first row slower is
found, although somebody looks several times and stops when all is decided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tables

from analysis.answer.compute import Answer, RowAnswer
from analysis.results.cells import cell_ratio
from analysis.statistics.intervals import MARGIN, Verdict

LOOKS = (4, 8, 16, 32)  # as `planning answer` doubles them
ROWS = 2
GAPS = (0.05, 0.10, 0.20)
Noise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def normal(scatter: float) -> Noise:
    return lambda generator, shape: scatter * generator.normal(size=shape)


def heavy(scatter: float) -> Noise:
    """Student's t of 3 degrees of freedom: one run in fifty is three times as far off."""
    return lambda generator, shape: scatter * generator.standard_t(3, size=shape) / math.sqrt(3)


def slow_runs(scatter: float) -> Noise:
    """Noise in which one run in ten takes a tenth longer."""

    def draw(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        logs = scatter * generator.normal(size=shape)
        return logs + math.log1p(0.1) * (generator.random(size=shape) < 0.1)

    return draw


WORLDS = {
    "CV 1 %": normal(0.01),
    "CV 3 %": normal(0.03),
    "CV 10 %": normal(0.10),
    "CV 3 %, heavy tails": heavy(0.03),
    "CV 1 %, one run in ten 10 % slower": slow_runs(0.01),
}


@dataclass(frozen=True)
class Found:
    """Shares over so many answers: of each verdict on the first row, and of answers in which any
    row is called otherwise than it is; and the median number of rounds.
    """

    verdicts: dict[Verdict, float]
    false: float
    rounds: float


def found(noise: Noise, gap: float, answers: int, generator: np.random.Generator) -> Found:
    """Answers to a patch that makes the first row slower by the gap, and no other."""
    verdicts: Counter[Verdict] = Counter()
    false, rounds = 0, []
    for _ in range(answers):
        logs = noise(generator, (ROWS, 2, LOOKS[-1]))
        logs[0, 1] += math.log1p(gap)
        one, number = _asked(logs)
        first, *others = (row.verdict for row in one.rows)
        verdicts[first] += 1
        wrong = {Verdict.FASTER, Verdict.SAME} if gap > MARGIN else {Verdict.FASTER, Verdict.SLOWER}
        false += first in wrong or bool({Verdict.FASTER, Verdict.SLOWER} & {*others})
        rounds.append(number)
    shares = {verdict: verdicts[verdict] / answers for verdict in Verdict}
    return Found(shares, false / answers, float(np.median(rounds)))


def _asked(logs: np.ndarray) -> tuple[Answer, int]:
    """Look after look until all is decided; the last answer, and its number of rounds."""
    for rounds in LOOKS:
        cells = [row.cells for row in tables.table(logs[..., :rounds]).rows]
        statements = len(LOOKS) * ROWS
        rows = [
            RowAnswer(base, new, cell_ratio(new, base), MARGIN, statements, "")
            for base, new in cells
        ]
        answer = Answer(tuple(rows), MARGIN, len(LOOKS))
        if answer.decided:
            break
    return answer, rounds


def lines(answers: int, seed: int) -> list[str]:
    """The lines of a table in Markdown."""
    head = ["noise of a run", "patch", "slower", "faster", "same", "undecided", "false", "rounds"]
    shown = [head, ["---"] * len(head)]
    for place, (words, noise) in enumerate(WORLDS.items()):
        for gap in (0.0, *GAPS):
            one = found(noise, gap, answers, np.random.default_rng([seed, place]))
            shares = [one.verdicts[verdict] for verdict in ORDER]
            texts = [f"{100 * share:.0f} %" for share in shares]
            false = f"{100 * one.false:.1f} %"
            what = f"first row +{100 * gap:.0f} %" if gap else "changes nothing"
            shown.append([words, what, *texts, false, f"{one.rounds:.0f}"])
    return [f"| {' | '.join(line)} |" for line in shown]


ORDER = (Verdict.SLOWER, Verdict.FASTER, Verdict.SAME, Verdict.AMBIGUOUS)
