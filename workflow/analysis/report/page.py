"""What each section of the report and its appendix shows, handed to the templates in report/."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.caveats.groups import Group
from analysis.claims import judge
from analysis.claims.verdicts import ClaimResult
from analysis.comparisons.findings import findings
from analysis.data import Data
from analysis.formats.contents import figure_modules, figures_of
from analysis.formats.errors import write_text
from analysis.formats.text import listed
from analysis.report import caveat_views, sections
from analysis.report.anchors import APPENDIX, cell_address
from analysis.report.appendix import DETAILED, RULES
from analysis.report.conclusion import conclusion
from analysis.report.contents import IN_FULL, SECTIONS, contents
from analysis.report.figure_views import figure_view, sample
from analysis.report.key_sentences import key_sentences
from analysis.report.methods_text import methods_text
from analysis.report.rendering import write_rendered
from analysis.report.setting import facts, libraries_since_the_page, machines, period, settings
from analysis.report.titles import title
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.stand_in import NOT_TO_BE_CITED, is_simulated
from analysis.tables.html import Links, to_html
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.topics import said, topics

MOST_BESIDE = 6  # columns of the table that leave room for the picture at its side
FIRST = "relative"  # the figure on the first page
UNTOLD = (ClaimResult.NOT_COMPARABLE, ClaimResult.NOT_TESTED)  # of these the report says how many


def write_report(path: Path, values: dict[str, Any]) -> None:
    """Write the report from its :func:`content`, and conclusion.json beside it."""
    links = {"brief": True, "report": "", "appendix": APPENDIX}
    names = list(contents(SECTIONS, values))
    write_rendered(path, "report.html.j2", contents=names, **links, **values)
    write_text(path.with_name("conclusion.json"), values["conclusion"].to_json())


def shown_topics(data: Data, figures: Path) -> dict[str, dict[str, Any]]:
    """What the template of each topic shows that has something to show, with its `pictures`."""
    found = {name: topic.section(data) for name, topic in topics().items() if topic.section}
    return {
        name: values
        | {"pictures": {figure: figure_view(figure, figures) for figure in figures_of(name)}}
        for name, values in found.items()
        if values is not None
    }


def content(data: Data, groups: Sequence[Group], figures: Path) -> dict[str, Any]:
    """Return what the sections of both pages show."""
    results, reference = data.results, data.reference
    return {
        "title": title(results),
        "question": results.plan.study and results.plan.study["question"],
        "topics": shown_topics(data, figures),
        "in_full": IN_FULL,
        **_first_page(data, groups),
        **_results(results, reference),
        **_figures(results, figures),
        **_how(results, reference),
    }


def _first_page(data: Data, groups: Sequence[Group]) -> dict[str, Any]:
    from markupsafe import Markup

    results = data.results
    links = Links(cell_address, caveat_views.letters_of(results, groups))
    return {
        "key_sentences": key_sentences(results),
        "table": Markup(to_html(main_table(results), links)),
        "wide": len(results.plan.columns) > MOST_BESIDE,
        "first_caveats": caveat_views.first(groups),
        "shown_caveats": caveat_views.shown(groups),
        "caveats": caveat_views.caveat_views(groups),
        "severities": caveat_views.tally(groups),
        "conclusion": conclusion(results),
        "table_notes": [note for notes in said("table_notes", data).values() for note in notes],
    }


def _results(results: Results, reference: Reference) -> dict[str, Any]:
    from markupsafe import Markup

    return {
        "published": Markup(to_html(published_table(results, reference), Links(cell_address))),
        "reference": reference,
        "with_settings": not all(column.bare for column in results.plan.columns),
        "findings": findings(results),
        **_claims(results, reference),
    }


def _claims(results: Results, reference: Reference) -> dict[str, Any]:
    claims = judge(results, reference)
    counts = Counter(str(claim.verdict) for claim in claims)
    tally = listed([f"{number} {verdict}" for verdict, number in counts.items()])
    told = [claim for claim in claims if claim.verdict not in UNTOLD]
    return {"claims": claims, "told_claims": told, "claim_counts": tally}


def _figures(results: Results, figures: Path) -> dict[str, Any]:
    elsewhere = {FIRST, RULES, *DETAILED}
    elsewhere |= {f for name, topic in topics().items() if topic.section for f in figures_of(name)}
    names = [name for name in figure_modules() if name not in elsewhere]
    return {
        "picture": figure_view(FIRST, figures),
        "figures": [figure_view(name, figures) for name in names],
        "sample": sample(results),
    }


def _how(results: Results, reference: Reference) -> dict[str, Any]:
    """How it was measured, and how to repeat it."""
    return {
        "facts": facts(results),
        "libraries": libraries_since_the_page(results, reference),
        "methods": methods_text(results),
        "environments": sections.environments(results),
        "settings": settings(results),
        "citation": _citation(results),
        "models": results.plan.models.values(),
    }


def _citation(results: Results) -> str:
    if is_simulated(results):
        return NOT_TO_BE_CITED
    plan = results.plan
    return (
        f"Millistep (CITATION.cff of its repository), {plan.scale} scale, "
        f"{plan.runs_per_cell} planned, measured on {machines(results)}, "
        f"{period(results)}; sha256 of plan and records {results.digest}."
    )
