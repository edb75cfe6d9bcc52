"""What `simulations.py` asks about whole tables: moderated variances, statements over all rows,
what is called best or equal, and the gaps that a number of runs decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import whole_tables
from finding import COVERS, NOISIEST, RARE, Finding
from whole_tables import Tables, Weigh

from analysis.statistics import moderation
from analysis.statistics.best_set import Standing, p_slower
from analysis.statistics.intervals import CONFIDENCE, Moderate, as_measured
from analysis.statistics.power import POWER, decided_gap, moderation_of
from analysis.statistics.table_scatter import table_scatter

RUNS = (3, 5)
TABLES = 25  # experiments with single rows for one with a whole table
SPREADS = (0.25, 0.5, 1.0)  # of the logarithm of the scatter, from cell to cell
SCATTERS = (0.01, 0.02, 0.05)  # of run means, for the power
ALIKE = 4.0  # degrees of freedom of a prior: those of a spread of about 0.4
DECIDED = (POWER - 0.02, POWER + 0.02)


def of_tables(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Every line about tables; `count` is that of the experiments with single rows."""
    tables = max(2, count // TABLES)
    yield from of_moderation(tables, generator)
    yield from without_bar(contrasts(tables // 2, generator))
    yield from of_all_rows(tables, generator)
    yield from of_standings(tables, generator)
    yield from of_power(count, generator)


def of_moderation(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """Whether moderated intervals are as true as they say, in the noisiest cells too."""
    worlds = {f"scatter varies by {spread:g}": Tables(spread=spread) for spread in SPREADS}
    worlds["by 0.5, blocks follow"] = Tables(spread=0.5, follows=0.8)
    for what, tables in worlds.items():
        for runs in RUNS:
            yield from covering(what, tables, runs, table_scatter, count, generator)
    few = Tables(rows=4, columns=2, spread=0.5)
    yield from covering("by 0.5, 8 cells", few, 3, table_scatter, 5 * count, generator)


def contrasts(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """The same by what we do not use: no moderation, limma's, and ours with two runs."""
    tables = Tables(spread=0.5)
    for runs in RUNS:
        yield from covering("by 0.5, plain", tables, runs, whole_tables.plain, count, generator)
        yield from covering("by 0.5, as limma", tables, runs, whole_tables.drawn, count, generator)
    least, moderation.MIN_OWN = moderation.MIN_OWN, 1
    yield from covering(
        "by 0.5, moderated all the same", tables, 2, table_scatter, count, generator
    )
    moderation.MIN_OWN = least


def without_bar(found: Iterator[Finding]) -> Iterator[Finding]:
    return (replace(finding, bar=None) for finding in found)


def covering(
    what: str, tables: Tables, runs: int, weigh: Weigh, count: int, generator: np.random.Generator
) -> Iterator[Finding]:
    """Coverage of cells and ratios, over all and over the noisiest tenth."""
    both = whole_tables.coverage(tables, runs, weigh, count, generator)
    for kind, found in zip(("cell", "ratio"), both, strict=True):
        width = f"half-width {100 * found.half_width:.1f} %"
        words = f"In a table, the interval of a {kind} covers the truth ({what}; {width})"
        yield Finding(words, runs, found.every, COVERS)
        yield Finding("... in the noisiest tenth", runs, found.noisiest, NOISIEST)


def of_all_rows(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """A backend that is never slower: two others are tied with it in 12 rows and far behind in one
    more. That each of the three is shown slower somewhere is false.
    """
    ways = (
        ("corrected in each row alone", whole_tables.plain, False),
        ("corrected over all rows", whole_tables.plain, True),
        ("corrected over all rows, moderated", table_scatter, True),
    )
    for scatter in (0.03, 0.10):
        behind = {(12, 1): 1000.0, (12, 2): 1000.0}
        tables = Tables(rows=13, columns=3, scatter=scatter, slower=behind)
        for how, weigh, corrected in ways:
            what = f"12 tied rows, {100 * scatter:g} % scatter: three of three backends are shown "
            what += f"slower somewhere ({how})"
            for runs in RUNS:
                tries = (tables.draw(runs, generator)[0] for _ in range(count))
                held = [whole_tables.each_is_behind(rows, weigh(rows), corrected) for rows in tries]
                yield Finding(what, runs, float(np.mean(held)), RARE if corrected else None)


def of_standings(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """What is called best or equal: falsely, where the last column is 3 % slower, and rightly,
    where all are equally fast.
    """
    for factor, bar in ((1.03, RARE), (1.0, None)):
        tables = Tables(rows=2, columns=6, scatter=0.01, spread=0.5, slower={(0, 5): factor})
        what = f"1 % scatter, one column of six is slower by {100 * (factor - 1):.0f} %: it is "
        for runs in (2, *RUNS, 10):
            tries = (tables.draw(runs, generator)[0] for _ in range(count))
            found = [whole_tables.standing_of_last(rows, table_scatter(rows)) for rows in tries]
            share = np.mean([standing is Standing.BEST for standing in found])
            yield Finding(f"{what}best or equal", runs, float(share), bar)


def of_power(count: int, generator: np.random.Generator) -> Iterator[Finding]:
    """How often the gaps of the report's methods text are shown: of one rival, or as one of five by
    Holm's first step; plain, and moderated by a prior that is right.
    """
    for how, moderate in (("plain", as_measured), ("moderated", moderation_of(ALIKE))):
        for rivals in (1, 5):
            for scatter in SCATTERS:
                for runs in RUNS:
                    gap = decided_gap(runs, scatter, rivals, moderate)
                    shown = shown_share(gap, runs, scatter, rivals, moderate, count, generator)
                    what = f"{100 * scatter:g} % scatter, one of {rivals}, {how}: a gap of "
                    yield Finding(f"{what}{100 * gap:.1f} % is shown", runs, shown, DECIDED)


def shown_share(
    gap: float,
    runs: int,
    scatter: float,
    rivals: int,
    moderate: Moderate,
    count: int,
    generator: np.random.Generator,
) -> float:
    """Share of experiments in which a column that is slower by the gap is put behind another."""
    logs = generator.normal(scale=scatter * math.sqrt(2), size=(count, runs)) + math.log1p(gap)
    true = 2 * scatter**2

    def weigh(variance: float, freedom: int) -> tuple[float, float]:
        used, lent = moderate(variance / true, freedom)
        return used * true, lent

    level = (1 - CONFIDENCE) / 2 / rivals
    return float(np.mean([p_slower(found, moderate=weigh) <= level for found in logs.tolist()]))
