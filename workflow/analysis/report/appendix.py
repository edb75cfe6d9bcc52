"""The appendix: the details of every cell, and every run in the order in which it was started."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.caveats import collect
from analysis.caveats.groups import Group, grouped
from analysis.data import Data
from analysis.formats.contents import figure_modules
from analysis.report import sections
from analysis.report.details import OfTopics
from analysis.report.figure_views import figure_view, sample
from analysis.report.rendering import rendered, write_rendered
from analysis.report.titles import title
from analysis.results.results import Results
from analysis.topics import said

# Figures that go through all cells one by one; the others are in the report.
DETAILED = ("step_times", "break_even", "blocks", "memory", "padding", "batch", "methods")
CONTENTS = (
    ("cells", "Every cell"),
    ("figures", "Figures of every cell"),
    ("versions", "Versions"),
    ("schedule", "Schedule"),
    ("rules", "Rules"),
)


TEMPLATE = "appendix.html.j2"


def of_topics(part: str, data: Data) -> dict[tuple, list[Any]]:
    """What topics have for this part of the appendix, by row or cell."""
    found = defaultdict(list)
    for told in said(part, data).values():
        for key, entry in told.items():
            found[key] += entry if isinstance(entry, list) else [entry]
    return found


def render_appendix(results: Results, figures: Path, templates: Path, report: str) -> str:
    """The page that the numbers of the report lead to; `report` is the name of that beside it."""
    groups = grouped(collect(results), results)
    return rendered(templates, TEMPLATE, **_content(results, groups, figures, templates, report))


def write_appendix(
    path: Path,
    results: Results,
    groups: Sequence[Group],
    figures: Path,
    templates: Path,
    report: str,
) -> None:
    """The same as a file, with caveats that are known already."""
    content = _content(results, groups, figures, templates, report)
    write_rendered(path, templates, TEMPLATE, **content)


def _content(
    results: Results, groups: Sequence[Group], figures: Path, templates: Path, report: str
) -> dict[str, Any]:
    data = Data(results)
    of_rows = of_topics("row_details", data)
    of_cells = OfTopics(of_topics("cell_facts", data), of_topics("cell_details", data))
    return {
        "title": f"{title(results)}: every cell",
        "report": report,
        "contents": CONTENTS,
        "rows": sections.row_views(results, groups, report, of_rows, of_cells),
        "figures": [figure_view(name, figures) for name in DETAILED if name in figure_modules()],
        "sample": sample(results),
        "environments": sections.environments(results),
        "schedule": sections.schedule(results),
        "rule_figure": figure_view("rules", figures),
        "rules": sections.rules(results),
    }
