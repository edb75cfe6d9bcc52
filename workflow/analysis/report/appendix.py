"""The appendix: the details of every cell, and every run in the order in which it was started."""

from __future__ import annotations

from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.groups import grouped
from analysis.report import sections
from analysis.report.figure_views import figure_view, sample
from analysis.report.rendering import rendered
from analysis.report.titles import title
from analysis.results.results import Results

# Figures that go through all cells one by one; the others are in the report.
DETAILED = ("step_times", "break_even", "blocks", "memory", "padding", "batch", "methods")
CONTENTS = (
    ("cells", "Every cell"),
    ("figures", "Figures of every cell"),
    ("versions", "Versions"),
    ("schedule", "Schedule"),
    ("rules", "Rules"),
)


def render_appendix(results: Results, figures: Path, templates: Path, report: str) -> str:
    """The page that the numbers of the report lead to; `report` is the name of that beside it."""
    return rendered(
        templates,
        "appendix.html.j2",
        title=f"{title(results)}: every cell",
        report=report,
        contents=CONTENTS,
        rows=sections.row_views(results, grouped(collect(results), results), report),
        figures=[figure_view(name, figures, templates) for name in DETAILED],
        sample=sample(results),
        environments=sections.environments(results),
        schedule=sections.schedule(results),
        rule_figure=figure_view("rules", figures, templates),
        rules=sections.rules(results),
    )
