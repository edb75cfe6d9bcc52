"""Why is it slower? For every row what each column's step has more than that of the fastest, and
what a faster host language could bring.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.data.operation_groups import Group
from analysis.formats.spelling import within
from analysis.formats.text import NA, count, ms, percent
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN, geometric_mean
from analysis.topics.why.ceilings import ceilings, whole_graphs, withheld
from analysis.topics.why.compute import (
    GROUPS,
    IDLE,
    cell_parts,
    fusing_attention,
    profiler_costs,
    too_fast,
)
from analysis.topics.why.differences import (
    HIGHEST,
    LOWEST,
    PAIR,
    SPLIT,
    STACK,
    STEP,
    differences,
    fastest,
)
from analysis.writing.grid import Grid
from analysis.writing.texts import Texts, records
from contract.table_text import decimals

TEXTS = Texts(__file__)
SLOWER = str(Standing.SLOWER)
TOLD = 0.05  # of a difference: smaller parts are in the table alone
TITLES = {STEP: "More than the fastest", IDLE: "Nothing computes"}
TITLES |= {group: group.capitalize() for group in GROUPS}
ATTENDS = [str(Group.PRODUCTS), str(Group.ATTENTION)]
TOGETHER = "matrix products and attention"
SPREADS = {"same": "Same operations", "other": "Other operations"}
LAST = ("Under the profiler", "Launched per step")


def section(data: Data) -> dict[str, Any] | None:
    """The values that the template shows; None where nothing was profiled."""
    if data.profiles.empty:
        return None
    found = list(rows(data))
    without = sum(not row["slower"] for row in found)
    return {
        "rows": found,
        "without": TEXTS.say("without", rows=without, of=len(found)) if without else "",
        "ceilings": ceiling_summary(data),
        "ceiling_table": ceiling_grid(data),
    }


def rows(data: Data) -> Iterator[dict[str, Any]]:
    """The rows in which there is something to compare: a summary in one line, a sentence for every
    other column, the numbers, and if any column is significantly `slower`.
    """
    measured = fastest(data).merge(profiler_costs(data), on=CELL, how="left")
    impossible = too_fast(data)
    pairs = _compared(data, impossible).groupby([*ROW, "fastest"], sort=False)
    compared = {key: records(of) for key, of in pairs}
    parts = cell_parts(data).to_dict("index")
    stacks = measured.drop_duplicates(STACK).groupby(ROW).size()
    for (*row, _), rivals in measured.groupby(STACK, dropna=False, sort=False):
        key = (*row, rivals["fastest"].iloc[0])
        if key in compared:
            cells = {cell.column: cell for cell in rivals.itertuples()}
            base, columns = cells[key[-1]], compared[key]
            several, title = stacks[tuple(row)] > 1, f"{base.row_title}, batch {base.batch_size}"
            fast = [of.column_title for name, of in cells.items() if (*row, name) in impossible]
            told = {"base": base.column_title, "step_ms": base.step_ms, "several": several}
            yield {
                "title": title,
                "summary": TEXTS.say("summary", **told),
                "slower": any(found["standing"] == SLOWER for found in columns),
                "sentences": list(_sentences(cells, base, columns)),
                "table": _grid(title, cells, base, parts[key], columns, fast),
            }


def _compared(data: Data, impossible: pd.MultiIndex) -> pd.DataFrame:
    """Return a line per column that is compared: its whole step as in `differences`; in words every
    part (TITLES), the same and the other operations, and the `reasons`, the largest first.

    A part that may be more or less, by rounds or by where the profilers' time lies, is no reason,
    nor are products that are `impossible`, too fast, in either column. Where one column has a fused
    attention and the other has none, attention and products are one part.
    """
    found = differences(data)
    of_step = found["difference_ms"].where(found["part"] == STEP)
    pairs = [found[name] for name in PAIR]
    found["whole"] = of_step.groupby(pairs, sort=False).transform("first")
    fused = _cells_of(found, fusing_attention(data))
    found["apart"] = (fused[0] != fused[1]) & found["part"].isin(ATTENDS)
    found = pd.concat([found, _together(found)], ignore_index=True)
    more_ms, is_step = found["difference_ms"], found["part"] == STEP
    texts = ("text", *(f"{name}_text" for name in SPREADS))
    for text, *names in zip(texts, ("difference_ms", *SPLIT), LOWEST, HIGHEST, strict=True):
        found[text] = _spreads(found, *names)
    agreed, *split = (
        found[low] * found[high] > 0 for low, high in zip(LOWEST, HIGHEST, strict=True)
    )
    found["doubted"] = np.logical_or(*_cells_of(found, impossible))
    found["split_agreed"] = np.logical_and(*split) & ~found["doubted"]
    agreed &= ~(found["doubted"] & found["part"].isin([Group.PRODUCTS, TOGETHER]))
    agreed &= ~found["apart"]
    told = found[~is_step & agreed & (more_ms.abs() >= TOLD * found["whole"])]
    told = told.sort_values("difference_ms", ascending=False, kind="stable")
    numbers = zip(told["part"], told["difference_ms"], told["whole"], strict=True)
    reasons = pd.Series([_reason(*each) for each in numbers], told.index, object)
    by_pair = reasons.groupby([told[name] for name in PAIR], sort=False)
    texts = found.pivot(index=PAIR, columns="part", values="text")
    step = found[is_step].set_index(PAIR).join(texts).join(by_pair.agg(", ".join).rename("reasons"))
    return step.reset_index()


def _cells_of(found: pd.DataFrame, cells: pd.MultiIndex) -> list[np.ndarray]:
    """Return if the fastest column is one of these cells, and if the other one is."""
    of = (pd.MultiIndex.from_frame(found[[*ROW, name]]) for name in ("fastest", "column"))
    return [each.isin(cells) for each in of]


def _together(found: pd.DataFrame) -> pd.DataFrame:
    """Return the parts that cannot be told apart, as one part of each pair."""
    apart = found[found["apart"]]
    ends = ["difference_ms", LOWEST[0], HIGHEST[0]]
    sums = apart.groupby([*PAIR, "whole", "rounds"], sort=False, as_index=False)[ends].sum()
    return sums.assign(part=TOGETHER, apart=False)


def _reason(part: str, more_ms: float, whole: float) -> str:
    where = f"which {IDLE}" if part == IDLE else part
    return f"{_signed(more_ms, whole)} ms ({percent(more_ms / whole)}) in {where}"


def _sentences(
    cells: Mapping[str, Any], base: Any, columns: Sequence[dict[str, Any]]
) -> Iterator[str]:
    behind = [found for found in columns if found["standing"] == SLOWER]
    near = [cells[f["column"]].column_title for f in columns if f["standing"] != SLOWER]
    if near:
        yield TEXTS.say("not_slower", titles=near, margin=MARGIN)
    for found in behind:
        split = {
            name: _signed(found[each], found["whole"]) if found["split_agreed"] else None
            for name, each in zip(SPREADS, SPLIT, strict=True)
        }
        yield TEXTS.say("slower", title=cells[found["column"]].column_title, **{**found, **split})
    told = {base.column, *(found["column"] for found in columns)}
    for cell in (cell for name, cell in cells.items() if name not in told):
        yield TEXTS.say("not_compared", cell=cell)


def _grid(
    title: str,
    cells: Mapping[str, Any],
    base: Any,
    of_base: Mapping[str, float],
    columns: Sequence[dict[str, Any]],
    fast: Sequence[str],
) -> Grid:
    """The table of a row; its first line is that of the fastest column."""
    header = ("Column", "ms/step", *TITLES.values(), *SPREADS.values(), *LAST)
    busy = [ms(of_base[part]) for part in TITLES if part != STEP]
    launched = f"{of_base['launched']:,.0f}"
    first = (base.column_title, ms(base.step_ms), NA, *busy, NA, NA, slowdown(base), launched)
    lines = [first]
    for found in columns:
        cell, texts = cells[found["column"]], [found[part] for part in TITLES]
        texts += [found[f"{name}_text"] for name in SPREADS]
        texts += [slowdown(cell), f"{found['column_launched']:,.0f}"]
        lines.append((cell.column_title, ms(cell.step_ms), *texts))
    rounds = {found["rounds"] for found in columns}
    low, high = min(rounds), max(rounds)
    of = count(low, "round") if low == high else f"{low} to {high} rounds"
    return Grid(TEXTS.say("table", title=title, rounds=of, fast=fast), header, tuple(lines))


def _spreads(found: pd.DataFrame, mean: str, low: str, high: str) -> list[str]:
    numbers = (found[name] for name in (mean, low, high, "whole"))
    return [_spread(*each) for each in zip(*numbers, strict=True)]


def _spread(mean: float, low: float, high: float, whole: float) -> str:
    if pd.isna(mean):
        return NA
    ends = f" ({_signed(low, whole)}\u00a0to\u00a0{_signed(high, whole)})" if low != high else ""
    return _signed(mean, whole) + ends


def _signed(value: float, whole: float) -> str:
    """A difference with its sign, to the digit of the whole difference."""
    return f"{value:+.{decimals(abs(whole))}f}"


def ceiling_summary(data: Data) -> str:
    """A sentence as 'Over 66 profiled cells the median ceiling is 1.11x and the highest 1.45x
    (...)'; empty where no cell was profiled.
    """
    found, left = _titled(data), withheld(data)
    costs = found["profiler_slowdown"].dropna().tolist()
    told = {
        "cells": len(found),
        "median": found["ceiling"].median(),
        "highest": next(iter(records(found.nlargest(1, "ceiling"))), None),
        "costs": costs,
        "cost": geometric_mean(costs) if costs else None,
        "graphs": whole_graphs(data),
        "withheld": (left["row_label"] + " on " + left["column_title"]).tolist(),
    }
    return TEXTS.say("ceilings", **told).strip()


def ceiling_grid(data: Data) -> Grid:
    """A table with one line per profiled cell; without lines where there is none."""
    return TEXTS.grid("every_ceiling", _titled(data))


def _titled(data: Data) -> pd.DataFrame:
    return ceilings(data).merge(data.cells[[*CELL, "row_label", "column_title"]], on=CELL)


def slowdown(found: Any) -> str:
    """The cost of the profiler as text, from a line that has it."""
    return within(found.profiler_slowdown, found.slowdown_low, found.slowdown_high)
