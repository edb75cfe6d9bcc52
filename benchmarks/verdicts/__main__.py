"""Verdicts under ugly noise: whole tables with a known truth, through the report's own functions.

    python3 benchmarks/verdicts                         all, from a seed, in less than ten minutes
    python3 benchmarks/verdicts --plain                 without borrowing from other rows
    python3 benchmarks/verdicts --kept results/plan.json  the noise of a table that was measured
    python3 benchmarks/verdicts --answers 100           answers on pull requests, half a minute

Prints Markdown tables: how often something false is said, with its limits, how often a true gap is
significant, and what a further round adds. Ends with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workflow"))

import answers
import bought
import choice
import kept
import more_rounds
import numpy as np
import steps
import tables
from worlds import WORLDS, World

from analysis.statistics import moderation

ROUNDS, EACH_ROUND = (3, 5, 10), (3, 4, 5, 6, 7, 8)
RARE = (0.0, 0.05)


@dataclass(frozen=True)
class Line:
    """One question, its answers by rounds, and the limits within which they should lie."""

    what: str
    measured: list[float]
    bar: tuple[float, float] | None = None

    @property
    def missed(self) -> bool:
        return self.bar is not None and not all(
            self.bar[0] <= value <= self.bar[1] for value in self.measured
        )

    def __str__(self) -> str:
        bar = f"{_percent(self.bar[0])} to {_percent(self.bar[1])}" if self.bar else ""
        cells = [self.what, *map(_percent, self.measured), bar + (" MISSED" if self.missed else "")]
        return f"| {' | '.join(cells)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tables", type=int, default=100, help="of each kind and rounds")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kept", type=Path, help="the plan of a table, whose noise is asked")
    options.add_argument(
        "--answers", type=int, help="so many answers on pull requests of each kind"
    )
    options.add_argument("--plain", action="store_true", help="every pair by its own scatter alone")
    arguments = options.parse_args()
    if arguments.plain:
        moderation.MIN_ROWS = sys.maxsize
    if arguments.answers:
        print("\n".join(answers.lines(arguments.answers, arguments.seed)))
        return
    if arguments.kept:
        for rounds in kept.most_rounds(arguments.kept):
            generator = np.random.default_rng(arguments.seed)
            share = kept.false_slower(arguments.kept, rounds, arguments.tables, generator)
            print(f"{rounds} rounds: a column is falsely slower in {_percent(share)} of rows")
        return
    print(bought.head(ROUNDS, "should be"))
    missed = []
    for line in lines(arguments.tables, np.random.default_rng(arguments.seed), arguments.plain):
        print(line, flush=True)
        missed += [line.what] if line.missed else []
    print(f"\nPower: gaps of 2, 3, 5 and 10 % that are shown.\n\n{bought.head(ROUNDS)}")
    for text in bought.of_gaps(arguments.tables // 2, ROUNDS, arguments.seed):
        print(text, flush=True)
    print(f"\nWhat each round buys.\n\n{bought.head(EACH_ROUND)}")
    for text in bought.of_each_round(arguments.tables, EACH_ROUND, arguments.seed):
        print(text, flush=True)
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


def lines(number: int, generator: np.random.Generator, plain: bool) -> Iterator[Line]:
    """All questions about false statements; if every pair has its own scatter, only those that
    depend on it.
    """
    for world in WORLDS:
        yield from of_world(world, number, generator)
    quiet = next(world for world in WORLDS if "quiet" in world.words)
    pairs = [tables.quiet_pair(quiet, n, number // 2, generator) for n in ROUNDS]
    yield Line(f"{quiet.words}: a gap of 3 % between the quiet two is shown of the pair", pairs)
    every, column = zip(*(tables.silence(n, number // 4, generator) for n in ROUNDS), strict=True)
    what = "a cell without scatter widens the intervals of"
    yield Line(f"{what} other cells (median)", list(every), (-0.05, 0.05))
    yield Line(f"{what} its own column, or narrows them (mean)", list(column), (0.0, 0.10))
    yield Line(
        "a column that lost a slow round has the lowest mean of six equal ones more often than one "
        "that lost any",
        [tables.lost_round(n, number // 4, generator) for n in ROUNDS],
        (-0.01, 0.01),
    )
    yield Line(
        "an equal column with a single run leaves its row without a verdict",
        [tables.single_run(n, number // 4, generator) for n in ROUNDS],
        RARE,
    )
    if plain:
        return
    yield from of_steps(number, generator)
    yield from of_choice(number, generator)
    yield from of_more(number, generator)


def of_world(world: World, number: int, generator: np.random.Generator) -> Iterator[Line]:
    found = [tables.count(world, n, number, generator) for n in ROUNDS]
    yield Line(
        f"{world.words}: rows with a false slower", [c.rows_with_false_slower for c in found], RARE
    )
    yield Line("... tables with any", [c.tables_with_false_slower for c in found])
    yield Line("... pairs cover", [c.pairs_cover for c in found], world.cover)
    if np.isnan(found[0].half_width):
        return
    affected = [c.affected_pairs_cover for c in found]
    bar = None if world.tells else world.cover
    yield Line("... pairs of what is singled out cover", affected, bar)
    if world.tells:
        telling = [c.telling_pairs_cover for c in found]
        yield Line("... of these, where its runs are of both modes", telling, world.cover)


def of_steps(number: int, generator: np.random.Generator) -> Iterator[Line]:
    for kind in steps.STATIONARY:
        for scale in ("paper", "laptop"):
            found = [steps.seen(kind, n, number, scale, generator) for n in ROUNDS]
            yield Line(f"{kind.words}, {scale}: runs not steady", [s.runs for s in found], RARE)
            yield Line("... cells excluded", [s.cells for s in found], RARE)
    for kind in steps.SPIKES:
        found = [steps.seen(kind, n, 4 * number, "paper", generator) for n in ROUNDS]
        yield Line(f"{kind.words}: bias of ms/step", [s.bias for s in found], (-0.005, 0.005))
        yield Line("... cells excluded", [s.cells for s in found], RARE)
    found = [steps.seen(steps.DECAY, n, number, "paper", generator) for n in ROUNDS]
    yield Line(
        f"{steps.DECAY.words}: cells not called steady", [s.cells for s in found], (0.9, 1.0)
    )
    yield Line("... bias of ms/step", [s.bias for s in found])


def of_choice(number: int, generator: np.random.Generator) -> Iterator[Line]:
    for scatter in (0.02, 0.05, 0.15):
        found = [choice.bias(scatter, n, number, generator) for n in ROUNDS]
        yield Line(
            f"best of three equal columns, CV {_percent(scatter)}: bias of the factor, after what "
            "is told of it",
            found,
            (-0.005, 0.005) if scatter < 0.1 else None,
        )
    for scatter in (0.02, 0.05):
        found = [choice.falsely_holds(scatter, n, number, generator) for n in ROUNDS]
        yield Line(
            f"claim on the best of three, exactly at its limit, CV {_percent(scatter)}: holds",
            found,
            (0.0, 0.025),
        )


def of_more(number: int, generator: np.random.Generator) -> Iterator[Line]:
    found = [more_rounds.told(0.02, n, max(number // 10, 2), generator) for n in ROUNDS]
    yield Line(
        "CV 2 %, undecided rows: told that even 100 rounds would not do", [f.never for f in found]
    )
    for rounds in (30, 40, 60):
        yield Line(f"... decided by {rounds}", [f.decided_by[rounds] for f in found])
    yield Line(
        "... rounds told over rounds needed (medians)",
        [f.told_over_truth for f in found],
        (1 / 1.5, 1.5),
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


if __name__ == "__main__":
    main()
