"""A comparison as Markdown and HTML: the same numbers in both, and in the CSV."""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.caveats import Severity, collect
from analysis.caveats.groups import grouped
from analysis.compare.cells import COLUMNS, OF_THE_PAGE, Comparison
from analysis.compare.changes import changes
from analysis.compare.summary import fixed_work, result
from analysis.data import Data
from analysis.formats.errors import write_text
from analysis.formats.spelling import each_known
from analysis.formats.text import listed, ms, percent
from analysis.report.setting import coverage, machines, period, software
from analysis.results.results import Results
from analysis.statistics.intervals import MARGIN, Verdict, as_measured
from analysis.writing.files import to_csv
from analysis.writing.grid import Grid
from analysis.writing.rendering import template, write_rendered

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
WEIGHED = "The variance of a cell is weighed with that of its column over all rows of its table."
VERDICTS = (
    f"FASTER and SLOWER: the interval lies wholly beyond {percent(MARGIN)}; SAME: wholly within; "
    "AMBIGUOUS: neither; no verdict where either has one run."
)


def write_comparisons(comparisons: list[Comparison], path: Path) -> None:
    """Write the page, and Markdown and CSV beside it."""
    content = page(comparisons)
    write_rendered(path, "comparison.html.j2", **content)
    write_text(path.with_suffix(".md"), template("comparison.md.j2").render(content))
    pairs = pd.concat([comparison.pairs for comparison in comparisons])
    write_text(path.with_suffix(".csv"), to_csv(pairs[COLUMNS]))


def page(comparisons: list[Comparison]) -> dict[str, Any]:
    """The content that both templates show."""
    names = dict.fromkeys(a.name for c in comparisons for a in (c.base, c.other))
    return {
        "title": f"Millistep: {listed(list(names))} compared",
        "banner": BANNER,
        "comparisons": [
            {
                "anchor": comparison.other.label.lower(),
                "heading": f"{comparison.other.label} against {comparison.base.label}",
                "facts": _facts(comparison),
                "machines_differ": comparison.machines_differ,
                "times": times(comparison),
                "changes": changes(comparison),
            }
            for comparison in comparisons
        ],
    }


def _facts(comparison: Comparison) -> list[tuple[str, str]]:
    """What the two archives show in all, and the facts that tell which two they are."""
    archives = [
        (
            f"Archive {archive.label}",
            f"{archive.name}, {results.plan.scale} scale, measured on {machines(results)}, "
            f"{period(results)}; {coverage(results)}; {software(results)}. "
            f"{_critical(results)}SHA-256 {archive.sha256}.",
        )
        for archive in (comparison.base, comparison.other)
        for results in [archive.results]
    ]
    shown = [("Result", result(comparison)), ("The machine", fixed_work(comparison))]
    return [*(fact for fact in shown if fact[1]), *archives]


def _critical(results: Results) -> str:
    """The titles of the critical caveats of an archive; its own report says more."""
    data = Data(results)
    groups = grouped(collect(results, data), results, data)
    titles = [group.title for group in groups if group.severity is Severity.CRITICAL]
    return f"Critical caveats of its report: {'; '.join(titles)}. " if titles else ""


def times(comparison: Comparison) -> Grid:
    """The cells as a table, with numbers as they are printed."""
    pairs, (a, b) = comparison.pairs, (comparison.base.label, comparison.other.label)
    cells = pairs["base_cell"].where(pairs["base_cell"].notna(), pairs["other_cell"])
    ends = pairs[["ci95_low", "ci95_high"]].itertuples(index=False)
    texts = {
        "Cell": [f"{c.row.title} b{c.row.batch_size}, {c.column.title}" for c in cells],
        f"{a}, ms/step": each_known(pairs["base_ms"], ms),
        f"{a}, runs": pairs["base_runs"].astype(str),
        f"{b}, ms/step": each_known(pairs["other_ms"], ms),
        f"{b}, runs": pairs["other_runs"].astype(str),
        f"{b} over {a}": each_known(pairs["ratio"], "{:.3f}".format),
        "95 %": ["" if pd.isna(low) else f"[{low:.3f}, {high:.3f}]" for low, high in ends],
        "Verdict": pairs["verdict"].fillna(""),
        "Note": pairs["note"],
    }
    if comparison.machines_differ:
        del texts["Verdict"]
    shown = pairs["verdict"].isin((Verdict.FASTER, Verdict.SLOWER)).to_numpy().nonzero()[0]
    measured = [cell for side in OF_THE_PAGE for cell in pairs[side] if cell]
    weighed = any(cell.moderate is not as_measured for cell in measured)
    caption = [METHOD, WEIGHED if weighed else "", "" if comparison.machines_differ else VERDICTS]
    return Grid.of(
        pd.DataFrame(texts),
        " ".join(filter(None, caption)),
        marked=frozenset(shown),
        mark="changed",
    )
