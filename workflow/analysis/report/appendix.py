"""The appendix: what the report shows in brief with all that is behind it, and every cell."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.caveats.groups import Group
from analysis.data import Data
from analysis.formats.contents import figure_modules
from analysis.report import machine, sections, self_test
from analysis.report.contents import DETAILS, IN_FULL, contents
from analysis.report.details import OfTopics
from analysis.report.figure_views import figure_view
from analysis.report.measured import measured
from analysis.report.rendering import write_rendered
from analysis.topics import said

# Figures that go through all cells one by one; the others are in the report.
DETAILED = ("step_times", "break_even", "blocks", "memory", "padding", "batch", "methods")
RULES = "rules"  # a section, and its figure


def write_appendix(
    path: Path,
    values: dict[str, Any],
    data: Data,
    groups: Sequence[Group],
    figures: Path,
    report: str,
) -> None:
    """Write the page that the numbers of the report lead to; `report` is the name of that beside
    it, `values` its content.
    """
    everything = {**values, **_details(data, groups, figures)}
    links = {"brief": False, "report": report, "appendix": ""}
    names = list(contents((*IN_FULL, *DETAILS), values))
    write_rendered(path, "appendix.html.j2", contents=names, **links, **everything)


def _details(data: Data, groups: Sequence[Group], figures: Path) -> dict[str, Any]:
    results = data.results
    of_rows = of_topics("row_details", data)
    of_cells = OfTopics(of_topics("cell_facts", data), of_topics("cell_details", data))
    return {
        "measured": measured(results),
        "rows": sections.row_views(results, groups, of_rows, of_cells),
        "details": [figure_view(name, figures) for name in DETAILED if name in figure_modules()],
        "self_test": self_test.self_test(results),
        "self_test_note": self_test.self_test_note(results),
        "canaries": machine.canaries(results),
        "card_note": machine.card_note(results),
        "machine_card": machine.machine_card(results),
        "schedule": sections.schedule(results),
        "rule_figure": figure_view(RULES, figures),
        "rules": sections.rules(results),
    }


def of_topics(part: str, data: Data) -> dict[tuple, list[Any]]:
    """What topics have for this part of the appendix, by row or cell."""
    found = defaultdict(list)
    for told in said(part, data).values():
        for key, entry in told.items():
            found[key] += entry if isinstance(entry, list) else [entry]
    return found
