"""A comparison as lines of text, and these as Markdown, CSV and HTML: the same numbers in all."""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.compare.cells import Comparison, Pair
from analysis.compare.changes import changes
from analysis.formats.text import NA, listed, markdown, ms, percent, plain
from analysis.report.setting import coverage, machines, period, software
from analysis.results.cells import Cell
from analysis.statistics.intervals import MARGIN
from analysis.writing.files import to_csv as csv_of
from analysis.writing.grid import Grid

BANNER = (
    "The machines differ. The numbers stand side by side and are not ranked: a ratio holds what "
    "the machine does and what the software does, and nobody can separate the two. Even two "
    "machines of one model differ."
)
METHOD = (
    "ms/step is the geometric mean of the run means. The ratio is the other archive's time over "
    "the base's, below 1 where the other took less time, with Welch's 95 % interval on logarithms, "
    "since the runs of two archives are not paired. Intervals are not adjusted for the number of "
    "cells."
)
VERDICTS = (
    f"FASTER and SLOWER: the interval lies wholly beyond {percent(MARGIN)}; SAME: wholly within; "
    "AMBIGUOUS: neither; no verdict where either has one run."
)
NOTHING = "Nothing changed."


def facts(comparison: Comparison) -> list[tuple[str, str]]:
    """Which archives these are."""
    lines = []
    for archive in (comparison.base, comparison.other):
        results = archive.results
        text = (
            f"{archive.name}, {results.plan.scale} scale, measured on {machines(results)}, "
            f"{period(results)}; {coverage(results)}; {software(results)}. "
            f"SHA-256 {archive.sha256}."
        )
        lines.append((f"Archive {archive.label}", text))
    return lines


def times(comparison: Comparison) -> Grid:
    """The cells, as they are printed."""
    a, b = comparison.base.label, comparison.other.label
    header = ("Cell", f"{a}, ms/step", "runs", f"{b}, ms/step", "runs", f"{b} over {a}", "95 %")
    header += () if comparison.machines_differ else ("Verdict",)
    lines = tuple(_line(comparison, pair) for pair in comparison.pairs)
    changed = (
        index
        for index, pair in enumerate(comparison.pairs)
        if pair.verdict and pair.verdict in ("FASTER", "SLOWER")
    )
    caption = METHOD if comparison.machines_differ else f"{METHOD} {VERDICTS}"
    return Grid(caption, (*header, "Note"), lines, frozenset(changed), mark="changed")


def _line(comparison: Comparison, pair: Pair) -> tuple[str, ...]:
    title = f"{pair.cell.row.title} b{pair.cell.row.batch_size}, {pair.cell.column.title}"
    entries = (title, *_measured(pair.base), *_measured(pair.other), *_ratio(pair))
    verdict = () if comparison.machines_differ else (pair.verdict or "",)
    return tuple(map(plain, (*entries, *verdict, pair.why)))


def _measured(cell: Cell | None) -> tuple[str, str]:
    if cell is None or not cell.ok_runs:
        return NA, "0"
    return ms(cell.step_ms), str(len(cell.ok_runs))


def _ratio(pair: Pair) -> tuple[str, str]:
    if pair.ratio is None:
        return NA, ""
    ends = pair.ratio.interval
    return f"{pair.ratio.value:.3f}", f"[{ends.low:.3f}, {ends.high:.3f}]" if ends else ""


CSV_HEADER = ("base", "other", "model", "task", "batch_size", "column", "base_ms", "base_runs")
CSV_HEADER += ("other_ms", "other_runs", "ratio", "ci95_low", "ci95_high", "verdict", "note")


def to_csv(comparisons: list[Comparison]) -> str:
    """One line per cell and comparison, unrounded."""
    lines = [_fields(each, pair) for each in comparisons for pair in each.pairs]
    return csv_of(pd.DataFrame(lines, columns=CSV_HEADER, dtype=object))


def _fields(comparison: Comparison, pair: Pair) -> list[Any]:
    measured = [
        (cell.step_ms, len(cell.ok_runs)) if cell and cell.ok_runs else (None, 0)
        for cell in (pair.base, pair.other)
    ]
    ends = pair.ratio.interval if pair.ratio else None
    return [
        *(comparison.base.name, comparison.other.name),
        *(*pair.cell.row.key, pair.cell.column.name),
        *(*measured[0], *measured[1]),
        pair.ratio.value if pair.ratio else None,
        *((ends.low, ends.high) if ends else (None, None)),
        *(pair.verdict, pair.why),
    ]


def to_markdown(comparisons: list[Comparison]) -> str:
    """All comparisons, one after the other."""
    parts = ["# Comparison of archives"]
    for comparison in comparisons:
        parts.append(f"\n## {comparison.other.label} against {comparison.base.label}\n")
        parts += [f"- {term}: {markdown(text)}" for term, text in facts(comparison)]
        parts += [f"\n**{BANNER}**"] if comparison.machines_differ else []
        grids = [times(comparison), *changes(comparison)]
        parts += [f"\n{_markdown_grid(grid)}" for grid in grids]
    return "\n".join(parts) + "\n"


def _markdown_grid(grid: Grid) -> str:
    if not grid.lines:
        return f"{markdown(grid.caption)}: {NOTHING.lower()}"
    rows = [grid.header, tuple("---" for _ in grid.header), *grid.lines]
    body = [
        f"| {' | '.join(cell if row is rows[1] else markdown(cell) for cell in row)} |"
        for row in rows
    ]
    return "\n".join([f"{markdown(grid.caption)}\n", *body])


def to_html(comparisons: list[Comparison], templates: Path) -> str:
    """One self-contained page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: plain(value) if type(value) is str else value,
        trim_blocks=True,
    )
    names = listed(list(dict.fromkeys(a.name for c in comparisons for a in (c.base, c.other))))
    return environment.get_template("comparison.html.j2").render(
        title=f"Millistep: {names} compared",
        style=Markup((templates / "style.css").read_text(encoding="utf-8")),
        banner=BANNER,
        nothing=NOTHING,
        comparisons=[
            {
                "anchor": comparison.other.label.lower(),
                "heading": f"{comparison.other.label} against {comparison.base.label}",
                "facts": facts(comparison),
                "machines_differ": comparison.machines_differ,
                "times": times(comparison),
                "changes": changes(comparison),
            }
            for comparison in comparisons
        ],
    )
