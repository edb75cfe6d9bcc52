"""The ways of one operation, by what a user writes it in: which cells of a row stand beside each
other when the question is whether native code is worth it.

They are those of one framework, whatever it compiles: a user of plain PyTorch may compile or not,
one of Keras may ask for XLA or not, and the best of these is what native code has to beat. Any
other setting that differs (device, precision, versions) makes another group.
"""

import json
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

import pandas as pd

from analysis.comparisons.gains import FAMILIES
from analysis.data import CELL, Data, cell_key
from analysis.formats.text import plain
from analysis.results.cells import Cell
from analysis.results.plan import Column
from analysis.results.rows import RowCells
from analysis.results.timed_operation import TimedOperation
from analysis.statistics.ceiling import gain_of
from analysis.statistics.intervals import ends, geometric_mean, mean_interval

WAY = "way"
COMPILING = ("mode", "jit_compile")  # settings that a user of one framework may choose freely
NAIVE = "naive"  # native code without the flags that it needs: shown, and never called the best
OWN_COMPILER = ("triton",)  # kernels of one's own for which nothing is built before
OF_FRAMEWORK, NATIVE = "framework", "native"  # what a way is written as

SHARE = ["share", "share_ci95_low", "share_ci95_high"]
NUMBERS = ["alone_ms", "ms_per_step", *SHARE, "build_s"]
COLUMNS = [*CELL, "cell", "title", "operation", "framework", "way", "written_as", "kind", "first"]
COLUMNS += ["alone", "lines", *NUMBERS]


def measured_ways(data: Data) -> pd.DataFrame:
    """Return a line per cell around an operation whose runs called that alone too, grouped by row
    and `framework`, as it is printed; then those of each group that have no time, without a `way`.

    `kind` is what it competes as, missing of what may not be compared or is built naively. `alone`
    are ms of the operation alone by sitting, where anything may be concluded from the cell;
    `alone_ms` is their mean; `share` (and interval, over runs) what the uses of the operation
    take of a step of the same run, `most_by_share` how many times as fast a step would be without
    it. `first` is the operation as the first run recorded it; `build_s` is the mean over runs.
    """
    columns = data.results.plan.columns
    lines = [line for row in data.results.rows for line in _of_row(columns, row)]
    found = pd.DataFrame(lines, columns=COLUMNS, dtype=object)
    found = found.astype(dict.fromkeys(NUMBERS, float))
    for name in SHARE:  # an end below nothing counts as nothing
        found[f"most_by_{name}"] = found[name].clip(lower=0.0).map(gain_of, na_action="ignore")
    return found


def _of_row(columns: Sequence[Column], row: RowCells) -> Iterator[dict[str, Any]]:
    timed = {cell: runs for cell in row.measured if (runs := _timed(cell))}
    groups: dict[str, list[Cell]] = {}
    for cell in row.cells:
        if cell in timed or WAY in cell.column.settings:
            key = json.dumps([_root(columns, cell.column), _fixed(cell.column)], sort_keys=True)
            groups.setdefault(key, []).append(cell)
    kept = [cells for cells in groups.values() if timed.keys() & {*cells}]
    for framework, cells in zip(_titles(columns, kept), kept, strict=True):
        found = [(cell, _numbers(cell, timed[cell])) for cell in cells if cell in timed]
        found += [(cell, {}) for cell in cells if not cell.ok_runs]
        names = {"framework": framework, "operation": found[0][1]["first"].name}
        names["title"] = f"{row.row.label} on {framework}"
        for cell, numbers in found:
            key = dict(zip(CELL, cell_key(cell), strict=True))
            yield {**key, "cell": cell, **names, **numbers}


def _timed(cell: Cell) -> dict[Any, TimedOperation]:
    """Return the operation of each run that counts, by sitting."""
    found = {run.sitting: run.record.operation for run in cell.ok_runs if run.record}
    return {sitting: operation for sitting, operation in found.items() if operation}


def _numbers(cell: Cell, runs: dict[Any, TimedOperation]) -> dict[str, Any]:
    first = next(iter(runs.values()))
    native = first.way in OWN_COMPILER or first.build is not None
    written_as = NATIVE if native else OF_FRAMEWORK
    competes = cell.comparable and not (native and first.way == NAIVE)
    alone = {at: run.alone_ms for at, run in runs.items() if run.alone_ms is not None}
    taken = {at: ms for at, run in runs.items() if (ms := run.in_a_step_ms) is not None}
    shares = [ms / cell.run_ms[at] for at, ms in taken.items()]
    builds_s = [run.build.seconds for run in runs.values() if run.build]
    found = {
        **{"way": first.way, "written_as": written_as, "first": first, "lines": first.lines},
        "kind": written_as if competes else None,
        "alone": alone if cell.comparable else {},
        "alone_ms": geometric_mean(alone.values()) if alone else None,
        "ms_per_step": cell.step_ms,
        "build_s": fmean(builds_s) if builds_s else None,
    }
    if shares:
        numbers = (fmean(shares), *ends(mean_interval(shares)))
        found |= dict(zip(SHARE, numbers, strict=True))
    return found


def _fixed(column: Column) -> dict[str, Any]:
    """Return the settings that keep a column out of the groups of others."""
    free = (WAY, *COMPILING)
    return {name: value for name, value in column.settings.items() if name not in free}


def _root(columns: Sequence[Column], column: Column) -> str:
    """Return the framework, or the one of its family that its registry names it against."""
    named = (
        other.framework
        for other in columns
        if other.framework in column.against and other.family == column.family
    )
    return next(named, column.framework)


def _titles(columns: Sequence[Column], groups: list[list[Cell]]) -> list[str]:
    """Name each group by its framework; those that would have the same name by the settings that
    they differ in too.
    """
    named = [(_base_title(columns, [c.column for c in of]), _fixed(of[0].column)) for of in groups]
    titles = []
    for base, own in named:
        alike = [other for title, other in named if title == base]
        apart = [str(v) for name, v in own.items() if any(o.get(name) != v for o in alike)]
        titles.append(plain(", ".join([base, *apart])))
    return titles


def _base_title(columns: Sequence[Column], of: Sequence[Column]) -> str:
    """Return 'Keras 3 (JAX)', or the family of several of its frameworks."""
    if len({column.framework for column in of}) > 1:
        return FAMILIES.get(of[0].family, of[0].family)
    named = (other.title for other in columns if other.plain and other.framework == of[0].framework)
    return next(named, of[0].title.split(", ")[0])
