"""Questions of `simulations.py` about several nodes: do intervals of times and ratios account for
differences between nodes?

A node is faster or slower than another by a normal 3 %, runs scatter by 0.7 % around that, and
where a design says so a column is faster or slower on one node than on another by a further 1 %.
Every design is analysed twice: by round alone, wherever the runs were, and as the report does, by
session and node.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from finding import COVERS, Finding

from analysis.statistics.intervals import (
    Interval,
    Runs,
    Sitting,
    paired_ratio,
    run_logs,
    t_interval,
)
from analysis.statistics.mean_ratio import mean_ratio

NODE, RUN, STEP_MS = 0.03, 0.007, 10.0
ROWS = 12  # rows of a table
ROWS_APART = 25  # experiments with single rows for one with a table

Places = list[list[int]]  # the node, by column and round
Together = Callable[[int, int, int], str]  # the session of a column, round and node


def one_block(column: int, number: int, node: int) -> str:
    """The session of a block: the columns of a round share it."""
    return f"{number}"


def each_alone(column: int, number: int, node: int) -> str:
    return f"{column} {number}"


@dataclass(frozen=True)
class Design:
    """Nodes of the runs of two columns, and how much a column differs from node to node."""

    words: str
    places: Callable[[np.random.Generator], Places]
    apart: float = 0.0
    together: Together = one_block
    bar: tuple[float, float] | None = COVERS  # limits for the report's own intervals
    own: bool = False  # the truth is that of its node alone

    def row(self, generator: np.random.Generator) -> tuple[list[dict[Sitting, float]], list[float]]:
        """ms/step of both columns, and the logarithms of their true ms/step."""
        places = self.places(generator)
        nodes = generator.normal(scale=NODE, size=len(places[0]) * 2 + 2)
        of_columns = generator.normal(scale=self.apart, size=(2, len(nodes)))
        columns, truths = [], []
        for column, of_rounds in enumerate(places):
            runs = {}
            for number, node in enumerate(of_rounds, start=1):
                log = nodes[node] + of_columns[column][node] + generator.normal(scale=RUN)
                session = self.together(column, number, node)
                runs[Sitting(number, session, f"node {node}")] = STEP_MS * math.exp(log)
            columns.append(runs)
            node = of_rounds[0]
            truths.append(nodes[node] + of_columns[column][node] if self.own else 0.0)
        return columns, truths


def fixed(*of_columns: tuple[int, ...]) -> Callable[[np.random.Generator], Places]:
    return lambda generator: [list(of_rounds) for of_rounds in of_columns]


def anywhere(generator: np.random.Generator) -> Places:
    return generator.integers(4, size=(2, 3)).tolist()


ONE, THREE, TWICE = (0, 0, 0), (0, 1, 2), (0, 0, 0, 1, 1, 1)
FIVE = (0, 0, 1, 2, 3)
DESIGNS = (
    Design("blocks on one node", fixed(ONE, ONE), bar=None),
    Design("cells on any of 4 nodes", anywhere, together=each_alone, bar=None),
    Design("A on one node, B on another", fixed(ONE, (1, 1, 1)), together=each_alone, bar=None),
    Design("blocks, a node per round", fixed(THREE, THREE), apart=0.01),
    Design("blocks, 3 on each of 2 nodes", fixed(TWICE, TWICE), apart=0.01),
    Design("blocks, 5 on 4 nodes", fixed(FIVE, FIVE), apart=0.01),
    Design("blocks on one node", fixed(ONE, ONE), apart=0.01, bar=None),
    Design("blocks on one node, of that node alone", fixed(ONE, ONE), apart=0.01, own=True),
)


def of_nodes(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Yield every line about nodes; `count` experiments have single rows."""
    for design in DESIGNS:
        yield from _of_design(design, count, generator)
    yield from _of_means(count // ROWS_APART, generator)


def _of_design(design: Design, count: int, generator: np.random.Generator) -> Iterator[Finding]:
    drawn = [design.row(generator) for _ in range(count)]
    rounds = len(drawn[0][0][0])
    apart = f"columns {100 * design.apart:.0f} % apart by node" if design.apart else "columns alike"
    for kind, interval_of in (("ratio", _ratio), ("cell", _time)):
        for how, known in (("by round alone", _by_round), ("by session and node", _as_measured)):
            bar = design.bar if known is _as_measured else None
            found = [
                (ends, _truth(kind, truths))
                for columns, truths in drawn
                if (ends := interval_of([known(runs) for runs in columns]))
            ]
            if not found:
                words = f"{design.words}, {apart}: a {kind} has an interval {how}"
                yield Finding(words, rounds, 0.0)
                continue
            covered = np.mean([ends.low <= truth <= ends.high for ends, truth in found])
            width = 100 * float(np.median([ends.half_width for ends, _ in found]))
            words = f"{design.words}, {apart}: the interval of a {kind} {how} covers the truth"
            yield Finding(f"{words} (half-width {width:.1f} %)", rounds, float(covered), bar)


def _truth(kind: str, truths: list[float]) -> float:
    return math.exp(truths[0] - truths[1]) if kind == "ratio" else STEP_MS * math.exp(truths[0])


def _by_round(runs: Runs) -> Runs:
    return {sitting.round: time for sitting, time in runs.items()}


def _as_measured(runs: Runs) -> Runs:
    return runs


def _ratio(columns: list[Runs]) -> Interval | None:
    ratio = paired_ratio(*columns)
    return ratio.interval if ratio else None


def _time(columns: list[Runs]) -> Interval | None:
    return t_interval(run_logs(columns[0]))


def _of_means(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Yield lines on the mean over rows that were measured on the same three nodes."""
    for how, known, bar in (
        ("by round alone", _by_round, None),
        ("by session and node", _as_measured, COVERS),
    ):
        covered = []
        for _ in range(count):
            of_columns = generator.normal(scale=0.01, size=(2, 3))
            rows = {
                str(row): tuple(known(_column(of_columns[c], generator)) for c in (0, 1))
                for row in range(ROWS)
            }
            ends = mean_ratio(rows).interval
            covered.append(ends.low <= 1 <= ends.high)
        words = f"A mean over {ROWS} rows on the same 3 nodes, columns 1 % apart by node, "
        yield Finding(f"{words}{how} covers the truth", 3, float(np.mean(covered)), bar)


def _column(of_nodes: np.ndarray, generator: np.random.Generator) -> dict[Sitting, float]:
    logs = of_nodes + generator.normal(scale=RUN, size=3)
    return {
        Sitting(number, f"{number}", f"node {number}"): STEP_MS * math.exp(log)
        for number, log in enumerate(logs.tolist(), start=1)
    }
