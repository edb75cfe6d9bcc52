"""The values of each section of the report and its appendix, for the templates in report/."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from analysis.caveats.groups import FIRST, SHOWN, Group
from analysis.claims import judge
from analysis.claims.verdicts import ClaimResult
from analysis.comparisons.findings import Answer, findings
from analysis.data import Data
from analysis.formats.errors import write_text
from analysis.formats.text import listed
from analysis.report import caveat_views, machine, sections, self_test, setting
from analysis.report.conclusion import conclusion
from analysis.report.contents import DETAILS, IN_FULL, SECTIONS, contents
from analysis.report.details import APPENDIX, OfTopics, cell_address
from analysis.report.figure_views import drawn, figure_view, sample
from analysis.report.key_sentences import key_sentences
from analysis.report.measured import measured
from analysis.report.methods_text import methods_text
from analysis.results.plan import Plan
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.tables.writers import to_html
from analysis.topics import offered, said
from analysis.writing.rendering import write_rendered
from contract.report_contents import figure_modules, figures_of

SCRIPT = "report.js"
MOST_BESIDE = 6  # columns of the table that leave room for the picture at its side
FIRST_FIGURE = "relative"  # on the first page
# Figures that go through all cells one by one: they are in the appendix.
DETAILED = ("break_even", "blocks", "memory", "padding", "batch")
UNTOLD = (ClaimResult.NOT_COMPARABLE, ClaimResult.NOT_TESTED)  # the report gives their number alone


def pages(
    data: Data, groups: Sequence[Group], figures: Path, output: Path, drawn_by: str
) -> Iterator[Callable[[], None]]:
    """A call that writes the report with conclusion.json, and one that writes the appendix beside
    it; figures are read from their folder. `drawn_by`: the Millistep that draws, in words.
    """
    values = content(data, groups, figures, drawn_by)
    yield partial(_write_report, output, values)
    yield partial(_write_appendix, output.with_name(APPENDIX), output.name, values, data, figures)


def _write_report(path: Path, values: dict[str, Any]) -> None:
    names = list(contents(SECTIONS, values))
    links = {"brief": True, "report": "", "appendix": APPENDIX}
    write_rendered(path, "report.html.j2", SCRIPT, contents=names, **links, **values)
    write_text(path.with_name("conclusion.json"), values["conclusion"].to_json())


def _write_appendix(
    path: Path, report: str, values: dict[str, Any], data: Data, figures: Path
) -> None:
    everything = values | _details(data, values["caveats"], figures)
    names = list(contents((*values["in_full"], *DETAILS), everything))
    links = {"brief": False, "report": report, "appendix": ""}
    write_rendered(path, "appendix.html.j2", SCRIPT, contents=names, **links, **everything)


def content(data: Data, groups: Sequence[Group], figures: Path, drawn_by: str) -> dict[str, Any]:
    """The values that the sections of both pages show."""
    results, plan, reference = data.results, data.results.plan, data.reference
    claims = judge(results, reference)
    numbers = Counter(str(claim.verdict) for claim in claims)
    topic_views = _topics(data, figures)
    aside = _aside(plan)
    elsewhere = {FIRST_FIGURE, *DETAILED, *aside}
    elsewhere |= {figure for name in offered("section") for figure in figures_of(name)}
    return {
        "title": setting.title(results),
        "study": plan.study,
        "folder": plan.results,
        "topics": topic_views,
        "in_full": (*IN_FULL, *aside),
        # the first page
        "key_sentences": key_sentences(results),
        "table": to_html(
            main_table(results), cell_address, caveat_views.letters_of(results, groups)
        ),
        "wide": len(plan.columns) > MOST_BESIDE,
        "picture": figure_view(FIRST_FIGURE, figures),
        "first_caveats": [group for group in groups[:SHOWN] if group.decides][:FIRST],
        "conclusion": conclusion(results),
        "table_notes": [note for notes in said("table_notes", data).values() for note in notes],
        # what it shows
        "caveats": groups,
        "shown_caveats": groups[:SHOWN],
        "severities": caveat_views.tally(groups),
        "findings": [f for f in findings(results) if f.verdict is not Answer.NOT_MEASURED],
        "claims": claims if {c.verdict for c in claims} != {ClaimResult.NOT_TESTED} else [],
        "told_claims": [claim for claim in claims if claim.verdict not in UNTOLD],
        "claim_counts": listed([f"{number} {verdict}" for verdict, number in numbers.items()]),
        "published": _published(results, reference),
        "reference": reference,
        "with_settings": not all(column.bare for column in plan.columns),
        "figures": drawn((name for name in figure_modules() if name not in elsewhere), figures),
        "sample": sample(results),
        # how it was measured, and how to repeat it
        "facts": [*setting.facts(results), ("Drawn by", drawn_by)],
        "libraries": setting.libraries_since_the_page(results, reference),
        "methods": methods_text(results),
        "environments": sections.environments(results),
        "settings": setting.settings(results),
        "drawn_by": drawn_by,
        "citation": setting.citation(results, drawn_by),
        "cited": {text: models for text, models in plan.cited.items() if text != "none"},
    }


def _aside(plan: Plan) -> tuple[str, ...]:
    """The section and the figure of the published times, where the models are others than theirs:
    nobody decides by these, so the appendix has them.
    """
    return ("published",) if plan.reduced else ()


def _published(results: Results, reference: Reference) -> str:
    """The table beside the published one; empty where that has none of these cells."""
    ours = ((cell.row, cell.column) for cell in results.cells)
    if all(reference.published_ms(*pair) is None for pair in ours):
        return ""
    return to_html(published_table(results, reference), cell_address)


def _topics(data: Data, figures: Path) -> dict[str, dict[str, Any]]:
    """The values of the template of each topic that has something to show, with its `pictures`."""
    found = said("section", data)
    return {
        name: {**values, "pictures": {f: figure_view(f, figures) for f in figures_of(name)}}
        for name, values in found.items()
        if values is not None
    }


def _details(data: Data, groups: Sequence[Group], figures: Path) -> dict[str, Any]:
    """The values that the appendix alone shows."""
    results = data.results
    detailed = (*DETAILED, *_aside(results.plan))
    of_cells = OfTopics(_of_topics("cell_facts", data), _of_topics("cell_details", data))
    return {
        "measured": measured(results),
        "rows": sections.row_views(data, groups, _of_topics("row_details", data), of_cells),
        "details": drawn((name for name in detailed if name in figure_modules()), figures),
        "self_test": self_test.self_test(results),
        "self_test_note": self_test.self_test_note(results),
        "canaries": machine.canaries(results),
        "card_note": machine.card_note(results),
        "machine_card": machine.machine_card(results),
    }


def _of_topics(part: str, data: Data) -> dict[tuple, list[Any]]:
    """The entries that topics have for this part of the appendix, by row or cell."""
    found = defaultdict(list)
    for told in said(part, data).values():
        for key, entry in told.items():
            found[key] += entry if isinstance(entry, list) else [entry]
    return found
