"""Why is it slower? For every row what each column's step has more than that of the fastest."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from math import isnan
from typing import Any

from analysis.data import CellKey, Data
from analysis.formats.text import NA, count, listed, ms, percent
from analysis.statistics.best_set import Standing
from analysis.statistics.intervals import MARGIN
from analysis.topics.why.compute import GROUPS, IDLE, cell_parts
from analysis.topics.why.differences import PARTS, STEP, differences, fastest
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
    parts = dict(zip((found := cell_parts(data)).index, found.to_dict("records"), strict=True))
    texts = {_key(cost): slowdown_text(cost) for cost in profiler_costs(data).itertuples()}
    compared: dict[tuple, Columns] = {}
    for line in differences(data).itertuples():
        of_fastest = compared.setdefault((*_key(line)[:-1], line.fastest), {})
        of_fastest.setdefault(line.column, {})[line.part] = line
    measured = list(fastest(data).itertuples())
    stacks = Counter(tuple(row) for *row, _ in dict.fromkeys(map(_stack, measured)))
    for (*row, _), rivals in groupby(measured, _stack):
        cells = {cell.column: cell for cell in rivals}
        best = next(iter(cells.values())).fastest
        if columns := compared.get((*row, best)):
            among = " on its library versions" if stacks[tuple(row)] > 1 else ""
            base, title = cells[best], f"{cells[best].row_title}, batch {row[-1]}"
            cost = {name: texts.get((*row, name), NA) for name in cells}
            yield {
                "title": title,
                "summary": f"{base.column_title} is the fastest{among}, at {ms(base.step_ms)} "
                "ms/step",
                "sentences": [*_sentences(cells, best, columns)],
                "table": _grid(title, cells, columns, best, parts[(*row, best)], cost),
            }


def _key(line: Any) -> CellKey:
    return (line.model, line.task, line.batch_size, line.column)


def _stack(cell: Any) -> tuple[str, str, int, str]:
    """The columns of a row that compete."""
    return (cell.model, cell.task, cell.batch_size, str(cell.stack))


Cells = Mapping[str, Any]  # lines of `fastest`, by column
Columns = dict[str, dict[str, Any]]  # lines of `differences`, by column and part


def _sentences(cells: Cells, best: str, columns: Columns) -> Iterator[str]:
    for name, parts in columns.items():
        yield _sentence(cells[name].column_title, parts)
    unlike = [
        cells[name].column_title
        for name, parts in columns.items()
        if _is_shown(parts) and isnan(parts[STEP].same_operations_ms)
    ]
    if unlike:
        yield (
            f"The operations of {cells[best].column_title} are not named as those of "
            f"{listed(unlike)}, so that groups are all that is compared."
        )
    for name, cell in cells.items():
        if name != best and name not in columns:
            why = cell.tells_nothing or "no profiled round in common with the fastest"
            yield f"{cell.column_title} is not compared: {why}."


def _is_shown(parts: Mapping[str, Any]) -> bool:
    """Whether the table shows that a column is slower at all."""
    return parts[STEP].standing == str(Standing.SLOWER)


def _sentence(title: str, parts: Mapping[str, Any]) -> str:
    """'PyTorch (eager) takes 14.0 ms more: +8.7 ms (62 %) is matrix products and convolutions,
    ...'.

    A part of which the rounds do not agree whether it is more or less is no reason.
    """
    step = parts[STEP]
    whole = step.difference_ms
    if not _is_shown(parts):
        return f"{title} is not shown to be more than {percent(MARGIN)} slower."
    if whole <= 0:  # by the rounds that were profiled
        return f"{title} was not slower when it was profiled."
    told = [
        part
        for part in (parts[name] for name in (IDLE, *GROUPS))
        if abs(part.difference_ms) >= TOLD * whole
        and (part.rounds == 1 or part.lowest_ms * part.highest_ms > 0)
    ]
    reasons = ", ".join(
        f"{_signed(part.difference_ms, whole)} ms ({_share(part.difference_ms / whole)}) is "
        f"{WORDS.get(part.part, part.part)}"
        for part in sorted(told, key=lambda part: -part.difference_ms)
    )
    text = f"{title} takes {ms(whole)} ms more: {reasons or 'the rounds do not agree in what'}."
    if isnan(step.same_operations_ms):
        return text
    same, other = (_signed(n, whole) for n in (step.same_operations_ms, step.other_operations_ms))
    return (
        f"{text} Operations of the same names take {same} ms longer, what one has more of or alone "
        f"{other} ms."
    )


def _grid(
    title: str,
    cells: Cells,
    columns: Columns,
    best: str,
    of_best: Mapping[str, float],
    cost: Mapping[str, str],
) -> Grid:
    """The first line is that of the fastest column."""
    rounds = sorted({parts[STEP].rounds for parts in columns.values()})
    of = f"{rounds[0]} to {rounds[-1]} rounds" if len(rounds) > 1 else count(rounds[0], "round")
    caption = (
        f"{title}: ms of a step, mean over {of} (lowest to highest). The first line is what a step "
        "of the fastest column is spent on, the others are the differences to it. A piece that a "
        "compiler fused is in one group as a whole."
    )
    base, busy = cells[best], [ms(of_best[part]) for part in (IDLE, *GROUPS)]
    launched = f"{of_best['launched']:,.0f}"
    first = (base.column_title, ms(base.step_ms), NA, *busy, NA, NA, cost[best], launched)
    lines = (
        (
            *(cells[name].column_title, ms(cells[name].step_ms), *_spreads(parts)),
            *(cost[name], f"{parts[STEP].column_launched:,.0f}"),
        )
        for name, parts in columns.items()
    )
    return Grid(caption, HEADER, (first, *lines))


def _spreads(parts: Mapping[str, Any]) -> Iterator[str]:
    """Of every part, and of the step in operations of the same names and others."""
    step = parts[STEP]
    for name in PARTS:
        part = parts[name]
        yield _spread(part.difference_ms, part.lowest_ms, part.highest_ms, step.difference_ms)
    same = (step.same_operations_ms, step.same_lowest_ms, step.same_highest_ms)
    other = (step.other_operations_ms, step.other_lowest_ms, step.other_highest_ms)
    for found in (same, other):
        yield NA if isnan(found[0]) else _spread(*found, step.difference_ms)


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
