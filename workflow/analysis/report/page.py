"""The page: what each section shows, handed to the templates in report/."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.caveats import collect
from analysis.caveats.groups import Group, grouped
from analysis.caveats.published_table import published_caveats, published_results
from analysis.claims import judge
from analysis.comparisons.findings import findings
from analysis.data import Data
from analysis.formats.contents import figure_modules, figures_of
from analysis.formats.text import listed
from analysis.report import machine, sections, self_test
from analysis.report.anchors import APPENDIX, cell_address
from analysis.report.appendix import DETAILED
from analysis.report.caveat_views import MOST_OPEN, caveat_views, letters_of, tally
from analysis.report.conclusion import conclusion
from analysis.report.figure_views import figure_view, sample
from analysis.report.key_sentences import key_sentences
from analysis.report.methods_text import methods_text
from analysis.report.rendering import rendered
from analysis.report.setting import (
    facts,
    libraries_since_the_page,
    machines,
    period,
    settings,
)
from analysis.report.titles import title
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.stand_in import NOT_TO_BE_CITED, is_simulated
from analysis.tables.html import Links, to_html
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.topics import said, topics

# Sections below the first page, in their order: of templates in report/sections, which are the
# anchors too, and of topics.
SECTIONS = ("caveats", "findings", "effects", "cross_over", "trainings", "why", "native")
SECTIONS += ("claims", "published")
SECTIONS += ("figures", "run", "quality", "methods", "environments", "machine", "reproduce", "cite")
HEADINGS = {
    "caveats": "Caveats",
    "findings": "Key findings",
    "claims": "Published claims",
    "published": "Published table",
    "figures": "Figures",
    "run": "What was run",
    "quality": "Self-test and canaries",
    "methods": "Methods text",
    "environments": "Environments",
    "machine": "System card",
    "reproduce": "How to reproduce",
    "cite": "How to cite",
}
MOST_BESIDE = 6  # columns of the table that leave room for the picture at its side
FIRST = "relative"  # the figure on the first page
RULES = "rules"  # in the appendix


def render(
    results: Results,
    reference: Reference,
    figures: Path,
    templates: Path,
    groups: Sequence[Group] | None = None,
) -> str:
    """The whole page; `groups` are the caveats, where they are known already."""
    shown = shown_topics(Data(results, reference), figures)
    if groups is None:
        groups = grouped(collect(results), results)
    return rendered(
        templates,
        "report.html.j2",
        title=title(results),
        question=results.plan.study and results.plan.study["question"],
        contents=list(_contents(shown)),
        topics=shown,
        appendix=APPENDIX,
        **_results(results, reference, groups),
        **_figures(results, figures),
        **_how(results),
    )


def _contents(shown: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Anchor, heading and template of each section that there is."""
    for name in SECTIONS:
        if name in shown:
            yield name, topics()[name].heading, f"{name}/section.html.j2"
        elif name in HEADINGS:
            yield name, HEADINGS[name], f"sections/{name}.html.j2"


def shown_topics(data: Data, figures: Path) -> dict[str, dict[str, Any]]:
    """What the template of each topic shows that has something to show, with its `pictures`."""
    found = {name: topic.section(data) for name, topic in topics().items() if topic.section}
    return {
        name: values
        | {"pictures": {figure: figure_view(figure, figures) for figure in figures_of(name)}}
        for name, values in found.items()
        if values is not None
    }


def _results(results: Results, reference: Reference, groups: Sequence[Group]) -> dict[str, Any]:
    from markupsafe import Markup

    views = caveat_views(groups)
    links = Links(cell_address, letters_of(results, groups))
    return {
        "key_sentences": key_sentences(results, groups),
        "facts": facts(results),
        "libraries": libraries_since_the_page(results, reference),
        "table": Markup(to_html(main_table(results), links)),
        "wide": len(results.plan.columns) > MOST_BESIDE,
        "everywhere": [view for view, group in zip(views, groups, strict=True) if group.everywhere],
        "caveats": views,
        "most_open": MOST_OPEN,
        "severities": tally(groups),
        "published": Markup(to_html(published_table(results, reference), Links(cell_address))),
        "reference": reference,
        "with_settings": not all(column.bare for column in results.plan.columns),
        "findings": findings(results),
        "conclusion": conclusion(results),
        "table_notes": [
            note for notes in said("table_notes", Data(results)).values() for note in notes
        ],
        **_claims(results, reference),
        "judged": _judged(reference),
    }


def _claims(results: Results, reference: Reference) -> dict[str, Any]:
    claims = judge(results, reference)
    counts = Counter(str(claim.verdict) for claim in claims)
    tally = listed([f"{number} {verdict}" for verdict, number in counts.items()])
    return {"claims": claims, "claim_counts": tally}


def _judged(reference: Reference) -> list[dict[str, Any]]:
    """The published table through the rules of our own caveats, revision by revision."""
    return [
        {
            "name": revision,
            "title": reference.revisions[revision],
            "caveats": caveat_views(
                grouped(caveats, published_results(reference, revision)), prefix=revision
            ),
        }
        for revision, caveats in published_caveats(reference).items()
    ]


def _figures(results: Results, figures: Path) -> dict[str, Any]:
    elsewhere = {FIRST, RULES, *DETAILED}
    elsewhere |= {f for name, topic in topics().items() if topic.section for f in figures_of(name)}
    names = [name for name in figure_modules() if name not in elsewhere]
    return {
        "picture": figure_view(FIRST, figures),
        "figures": [figure_view(name, figures) for name in names],
        "sample": sample(results),
    }


def _how(results: Results) -> dict[str, Any]:
    """How it was measured, and how to repeat it."""
    return {
        "self_test": self_test.self_test(results),
        "self_test_note": self_test.self_test_note(results),
        "canaries": machine.canaries(results),
        "methods": methods_text(results),
        "environments": sections.environments(results),
        "card_note": machine.card_note(results),
        "machine_card": machine.machine_card(results),
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
