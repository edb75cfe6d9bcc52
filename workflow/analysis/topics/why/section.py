"""Why is it slower? For every row what each column's step has more than that of the fastest, and
what a faster host language could bring.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.formats.text import NA, count, ms, percent
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN
from analysis.topics.why.ceilings import ceilings, withheld
from analysis.topics.why.compute import GROUPS, IDLE, cell_parts, profiler_costs
from analysis.topics.why.differences import STACK, STEP, differences, fastest
from analysis.writing.grid import Grid
from analysis.writing.spelling import within
from analysis.writing.texts import Texts, records
from contract.table_text import decimals

TEXTS = Texts(__file__)
TOLD = 0.05  # of a difference: smaller parts are in the table alone
TITLES = {STEP: "More than the fastest", IDLE: "Nothing computes"}
TITLES |= {group: group.capitalize() for group in GROUPS}
SPREADS = {"same": "Same operations, slower", "other": "Other operations"}


def section(data: Data) -> dict[str, Any] | None:
    """What the template shows; None where nothing was profiled."""
    if data.profiles.empty:
        return None
    summary, table = ceiling_summary(data), ceiling_grid(data)
    return {"rows": list(rows(data)), "ceilings": summary, "ceiling_table": table}


def rows(data: Data) -> Iterator[dict[str, Any]]:
    """The rows in which there is something to compare: in one line, then a sentence for every other
    column, and the numbers.
    """
    compared = dict(iter(differences(data).groupby([*ROW, "fastest"], sort=False)))
    measured, parts = fastest(data), cell_parts(data)
    costs = {line[1:5]: slowdown(line) for line in profiler_costs(data).itertuples()}
    stacks = measured.drop_duplicates(STACK).groupby(ROW).size()
    for (*row, _), rivals in measured.groupby(STACK, dropna=False, sort=False):
        best = rivals["fastest"].iloc[0]
        if (found := compared.get((*row, best))) is None:
            continue
        cells, of_best = rivals.set_index("column"), parts.loc[(*row, best)]
        base = cells.loc[best]
        cells["cost"] = [costs.get((*row, name), NA) for name in cells.index]
        title, several = f"{base['row_title']}, batch {row[-1]}", stacks[tuple(row)] > 1
        told = {"base": base["column_title"], "step_ms": base["step_ms"], "several": several}
        yield {
            "title": title,
            "summary": TEXTS.say("summary", **told),
            "sentences": list(_sentences(cells, best, found)),
            "table": _grid(title, cells, best, of_best, found),
        }


def _sentences(cells: pd.DataFrame, best: str, found: pd.DataFrame) -> Iterator[str]:
    unlike = []
    for name, parts in found.groupby("column", sort=False):
        title, step = cells.loc[name, "column_title"], parts.iloc[0]
        if step["standing"] != str(Standing.SLOWER):
            yield TEXTS.say("not_shown", title=title, margin=MARGIN)
            continue
        unlike += [title] if pd.isna(step["same_operations_ms"]) else []
        if step["difference_ms"] <= 0:  # by the rounds that were profiled
            yield TEXTS.say("not_slower", title=title)
        else:
            yield _slower(title, step, parts)
    if unlike:
        yield TEXTS.say("unlike", base=cells.loc[best, "column_title"], unlike=unlike)
    for cell in cells.drop(index=[best, *found["column"].unique()]).to_dict("records"):
        yield TEXTS.say("not_compared", **cell)


def _slower(title: str, step: pd.Series, parts: pd.DataFrame) -> str:
    """'PyTorch (eager) takes 14.0 ms more: +8.7 ms (62 %) is matrix products and convolutions,
    ...'.

    A part of which the rounds do not agree whether it is more or less is no reason.
    """
    whole, more_ms = step["difference_ms"], parts["difference_ms"]
    agreed = (parts["rounds"] == 1) | (parts["lowest_ms"] * parts["highest_ms"] > 0)
    told = parts[(parts["part"] != STEP) & (more_ms.abs() >= TOLD * whole) & agreed]
    told = told.sort_values("difference_ms", ascending=False, kind="stable")
    reasons = ", ".join(
        f"{_signed(of_part, whole)} ms ({_minus(percent(of_part / whole))}) is "
        f"{f'time in which {IDLE}' if part == IDLE else part}"
        for part, of_part in zip(told["part"], told["difference_ms"], strict=True)
    )
    split = (step[f"{name}_operations_ms"] for name in SPREADS)
    same, other = ("" if pd.isna(each) else _signed(each, whole) for each in split)
    return TEXTS.say("slower", title=title, whole=whole, reasons=reasons, same=same, other=other)


def _grid(
    title: str, cells: pd.DataFrame, best: str, of_best: pd.Series, found: pd.DataFrame
) -> Grid:
    """The first line is that of the fastest column."""
    step = found[found["part"] == STEP].set_index("column")
    whole = step["difference_ms"]
    ends = ["difference_ms", "lowest_ms", "highest_ms", "column"]
    more = [_spread(*three, whole[name]) for *three, name in found[ends].to_numpy()]
    more = found.assign(more=more).pivot(index="column", columns="part", values="more")
    base, others = cells.loc[best], cells.loc[step.index]
    texts = {
        "Column": others["column_title"],
        "ms/step": others["step_ms"].map(ms),
        **{heading: more.loc[step.index, part] for part, heading in TITLES.items()},
        **{
            heading: list(
                map(
                    _spread,
                    *(step[f"{name}{end}_ms"] for end in ("_operations", "_lowest", "_highest")),
                    whole,
                )
            )
            for name, heading in SPREADS.items()
        },
        "Under the profiler": others["cost"],
        "Launched per step": step["column_launched"].map("{:,.0f}".format),
    }
    first = {heading: ms(of_best[part]) for part, heading in TITLES.items() if part != STEP}
    first |= {"Column": base["column_title"], "ms/step": ms(base["step_ms"])}
    first |= {
        "Under the profiler": base["cost"],
        "Launched per step": f"{of_best['launched']:,.0f}",
    }
    lines = pd.concat([pd.DataFrame([first]), pd.DataFrame(texts)])[list(texts)].fillna(NA)
    low, high = step["rounds"].min(), step["rounds"].max()
    rounds = count(low, "round") if low == high else f"{low} to {high} rounds"
    return Grid.of(lines, TEXTS.say("table", title=title, rounds=rounds))


def _spread(mean: float, low: float, high: float, whole: float) -> str:
    if pd.isna(mean):
        return NA
    ends = f" ({_signed(low, whole)}\u00a0to\u00a0{_signed(high, whole)})" if low != high else ""
    return _signed(mean, whole) + ends


def _signed(value: float, whole: float) -> str:
    """To the digit of the whole difference."""
    return _minus(f"{value:+.{decimals(abs(whole))}f}")


def _minus(text: str) -> str:
    return text.replace("-", "\u2212")


def ceiling_summary(data: Data) -> str:
    """'Over 66 profiled cells the median ceiling is 1.11x and the highest 1.45x (...)'; empty where
    no cell was profiled.
    """
    found, left = _titled(data), withheld(data)
    costs = found["slowdown_low"].dropna()
    told = {
        "cells": len(found),
        "median": found["ceiling"].median(),
        "highest": next(iter(records(found.nlargest(1, "ceiling"))), None),
        "costs": len(costs),
        "slowed": found["profiler_slowdown"][found["slowdown_low"] > 1].tolist(),
        "withheld": (left["row_label"] + " on " + left["column_title"]).tolist(),
    }
    return TEXTS.say("ceilings", **told).strip()


def ceiling_grid(data: Data) -> Grid:
    """One line per profiled cell; without lines where there is none."""
    return TEXTS.grid("every_ceiling", _titled(data))


def _titled(data: Data) -> pd.DataFrame:
    return ceilings(data).merge(data.cells[[*CELL, "row_label", "column_title"]], on=CELL)


def slowdown(found: Any) -> str:
    """What the profiler costs, of a line that has it."""
    return within(found.profiler_slowdown, found.slowdown_low, found.slowdown_high)
