"""Why is it slower? For every row what each column's step has more than that of the fastest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from analysis.data import CELL, ROW, Data
from analysis.formats.text import NA, count, listed, ms, percent
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN
from analysis.topics.why.compute import GROUPS, IDLE, cell_parts
from analysis.topics.why.differences import PARTS, STACK, STEP, differences, fastest
from analysis.topics.why.host import ceiling_grid, ceiling_summary
from analysis.topics.why.profiler import profiler_costs
from analysis.topics.why.words import slowdown_text
from analysis.writing.grid import Grid
from contract.table_text import decimals

TOLD = 0.05  # of a difference: smaller parts are in the table alone
WORDS = {IDLE: f"time in which {IDLE}"}
HEADER = ("Column", "ms/step", "More than the fastest", "Nothing computes")
HEADER += tuple(group.capitalize() for group in GROUPS)
HEADER += ("Same operations, slower", "Other operations", "Under the profiler")
HEADER += ("Launched per step",)


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
    measured, parts = fastest(data), cell_parts(data)
    of_rows = dict(iter(differences(data).groupby([*ROW, "fastest"], sort=False)))
    costs = {tuple(cost[CELL]): slowdown_text(cost) for _, cost in profiler_costs(data).iterrows()}
    several = measured.groupby(ROW)["stack"].nunique(dropna=False) > 1
    for (*row, _), rivals in measured.groupby(STACK, dropna=False, sort=False):
        best = rivals["fastest"].iloc[0]
        if (of_row := of_rows.get((*row, best))) is None:
            continue
        rivals = rivals.assign(cost=[costs.get(key, NA) for key in map(tuple, rivals[CELL].values)])
        rivals = rivals.set_index("column")
        among = " on its library versions" if several[tuple(row)] else ""
        base = rivals.loc[best]
        title = f"{base['row_title']}, batch {row[-1]}"
        columns = {
            name: lines.set_index("part") for name, lines in of_row.groupby("column", sort=False)
        }
        yield {
            "title": title,
            "summary": f"{base['column_title']} is the fastest{among}, at {ms(base['step_ms'])} "
            "ms/step",
            "sentences": [*_sentences(rivals, best, columns)],
            "table": _grid(title, rivals, columns, base, parts.loc[(*row, best)]),
        }


Columns = Mapping[str, pd.DataFrame]  # what differs, by part, of each column


def _sentences(rivals: pd.DataFrame, best: str, columns: Columns) -> Iterator[str]:
    titles = rivals["column_title"]
    for name, lines in columns.items():
        yield _sentence(titles[name], lines)
    unlike = [
        titles[name]
        for name, lines in columns.items()
        if _is_shown(lines) and lines.loc[STEP].isna()["same_operations_ms"]
    ]
    if unlike:
        yield (
            f"The operations of {titles[best]} are not named as those of {listed(unlike)}, so that "
            "groups are all that is compared."
        )
    for left in rivals.drop(index=[best, *columns]).itertuples():
        why = left.tells_nothing or "no profiled round in common with the fastest"
        yield f"{left.column_title} is not compared: {why}."


def _is_shown(lines: pd.DataFrame) -> bool:
    """Whether the table shows that a column is slower at all."""
    return lines["standing"].iloc[0] == str(Standing.SLOWER)


def _sentence(title: str, lines: pd.DataFrame) -> str:
    """'PyTorch (eager) takes 14.0 ms more: +8.7 ms (62 %) is matrix products and convolutions,
    ...'.

    A part of which the rounds do not agree whether it is more or less is no reason.
    """
    step = lines.loc[STEP]
    whole = step["difference_ms"]
    if not _is_shown(lines):
        return f"{title} is not shown to be more than {percent(MARGIN)} slower."
    if whole <= 0:  # by the rounds that were profiled
        return f"{title} was not slower when it was profiled."
    parts = lines.drop(index=STEP).sort_values("difference_ms", ascending=False, kind="stable")
    one_sign = (parts["lowest_ms"] * parts["highest_ms"] > 0) | (parts["rounds"] == 1)
    told = parts[one_sign & (parts["difference_ms"].abs() >= TOLD * whole)]["difference_ms"]
    reasons = ", ".join(
        f"{_signed(part, whole)} ms ({_share(part / whole)}) is {WORDS.get(name, name)}"
        for name, part in told.items()
    )
    text = f"{title} takes {ms(whole)} ms more: {reasons or 'the rounds do not agree in what'}."
    if pd.isna(step["same_operations_ms"]):
        return text
    same, other = (_signed(step[f"{which}_operations_ms"], whole) for which in ("same", "other"))
    return (
        f"{text} Operations of the same names take {same} ms longer, what one has more of or alone "
        f"{other} ms."
    )


def _grid(
    title: str, rivals: pd.DataFrame, columns: Columns, base: pd.Series, parts: pd.Series
) -> Grid:
    """The first line is that of the fastest column."""
    rounds = sorted({int(lines["rounds"].iloc[0]) for lines in columns.values()})
    of = count(rounds[-1], "round")
    if len(rounds) > 1:
        of = f"{rounds[0]} to {rounds[-1]} rounds"
    caption = (
        f"{title}: ms of a step, mean over {of} (lowest to highest). The first line is what a step "
        "of the fastest column is spent on, the others are the differences to it. A piece that a "
        "compiler fused is in one group as a whole."
    )
    first = (
        *(base["column_title"], ms(base["step_ms"]), NA, *(ms(parts[p]) for p in (IDLE, *GROUPS))),
        *(NA, NA, base["cost"], f"{parts['launched']:,.0f}"),
    )
    lines = (_line(rivals.loc[name], of_column) for name, of_column in columns.items())
    return Grid(caption, HEADER, (first, *lines))


def _line(cell: pd.Series, lines: pd.DataFrame) -> tuple[str, ...]:
    step = lines.loc[STEP]
    whole = step["difference_ms"]
    found = [lines.loc[part, ["difference_ms", "lowest_ms", "highest_ms"]] for part in PARTS]
    for which in ("same", "other"):
        names = (f"{which}_operations_ms", f"{which}_lowest_ms", f"{which}_highest_ms")
        found.append(step[[*names]])
    return (
        *(cell["column_title"], ms(cell["step_ms"])),
        *(NA if spread.isna().any() else _spread(*spread, whole) for spread in found),
        *(cell["cost"], f"{step['column_launched']:,.0f}"),
    )


def _spread(mean: float, low: float, high: float, whole: float) -> str:
    text = _signed(mean, whole)
    if low == high:
        return text
    ends = f"({_signed(low, whole)} to {_signed(high, whole)})".replace(" ", "\u00a0")
    return f"{text} {ends}"


def _share(value: float) -> str:
    return percent(value).replace("-", "\u2212")


def _signed(value: float, whole: float) -> str:
    """To the digit of the whole difference."""
    text = f"{value:+.{decimals(abs(whole))}f}"
    return text.replace("-", "\u2212")
