"""The page: what each section shows, handed to the templates in report/."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from analysis.caveats import Caveat, Severity, collect
from analysis.caveats.published_table import published_caveats
from analysis.claims import judge
from analysis.comparisons.different_tests import different_tests
from analysis.comparisons.effects import effects_of
from analysis.comparisons.findings import findings
from analysis.formats.contents import figure_modules
from analysis.formats.text import NA, count, listed, plain
from analysis.report import machine, sections
from analysis.report.abstract import abstract
from analysis.report.anchors import cell_anchor
from analysis.report.conclusion import conclusion
from analysis.report.different_tests import in_the_table
from analysis.report.effects import effect_views
from analysis.report.inline_svg import inline_svg
from analysis.report.methods_text import methods_text
from analysis.report.power_grid import power_grid
from analysis.report.setting import facts, machines, period, settings, spread
from analysis.results.cells import Results
from analysis.results.reference import Reference
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.tables.writers import to_html

TEMPLATES = Path(__file__).resolve().parents[3] / "report"
# Sections in their order: the name of the template, which is the anchor too, and the heading.
CONTENTS = (
    ("table", "Table"),
    ("caveats", "Caveats"),
    ("findings", "Key findings"),
    ("effects", "Effects"),
    ("claims", "Published claims"),
    ("published", "Published table"),
    ("figures", "Figures"),
    ("quality", "Self-test and canaries"),
    ("methods", "Methods text"),
    ("environments", "Environments"),
    ("machine", "System card"),
    ("reproduce", "How to reproduce"),
    ("cite", "How to cite"),
    ("cells", "Every cell"),
    ("schedule", "Schedule"),
)


def render(results: Results, reference: Reference, figures: Path, templates: Path) -> str:
    """The whole page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_one_line,
        trim_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(
        title=_title(results),
        question=results.plan.study and results.plan.study["question"],
        contents=CONTENTS,
        NA=NA,
        **_look(templates),
        **_results(results, reference),
        **_figures(results, figures, templates),
        **_how(results),
        **_appendix(results),
    )


def _look(templates: Path) -> dict[str, Any]:
    """Style and script stand in the page; the hash lets this script run and no other."""
    from markupsafe import Markup

    script = (templates / "report.js").read_text(encoding="utf-8")
    style = (templates / "style.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(f"\n{script}\n".encode()).digest()).decode()
    return {
        "style": Markup(style),
        "script": Markup(script),
        "script_hash": f"sha256-{digest}",
    }


def _results(results: Results, reference: Reference) -> dict[str, Any]:
    from markupsafe import Markup

    caveats = collect(results)
    return {
        "abstract": abstract(results, reference, caveats),
        "facts": facts(results),
        "table": Markup(to_html(main_table(results), cell_anchor)),
        "caveats": [_caveat(caveat) for caveat in caveats],
        "severities": _severities(caveats),
        "published": Markup(to_html(published_table(results, reference), cell_anchor)),
        "reference": reference,
        "with_settings": not all(column.plain for column in results.plan.columns),
        "findings": findings(results),
        "effects": effect_views(results),
        "conclusion": conclusion(results),
        "different_tests": in_the_table(list(map(different_tests, effects_of(results)))),
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
            "caveats": [_caveat(caveat) for caveat in caveats],
        }
        for revision, caveats in published_caveats(reference).items()
    ]


def _figures(results: Results, figures: Path, templates: Path) -> dict[str, Any]:
    return {
        "figures": [_figure(name, figures, templates) for name in figure_modules()],
        "sample": _sample(results),
    }


def _how(results: Results) -> dict[str, Any]:
    """How it was measured, and how to repeat it."""
    return {
        "self_test": machine.self_test(results),
        "self_test_note": machine.self_test_note(results),
        "canaries": machine.canaries(results),
        "methods": methods_text(results),
        "power": power_grid(results),
        "environments": sections.environments(results),
        "card_note": machine.card_note(results),
        "machine_card": machine.machine_card(results),
        "settings": settings(results),
        "citation": _citation(results),
        "models": results.plan.models.values(),
    }


def _appendix(results: Results) -> dict[str, Any]:
    return {"rows": sections.row_views(results), "schedule": sections.schedule(results)}


def _title(results: Results) -> str:
    """A study's own, or the models."""
    study = results.plan.study
    models = listed([model.title for model in results.plan.models.values()])
    return f"Millistep report: {study['title'] if study else models}"


def _one_line(value: Any) -> Any:
    """Control characters of foreign text never reach the page; what is markup already was made
    here.
    """
    return value if hasattr(value, "__html__") or not isinstance(value, str) else _keep_lines(value)


def _keep_lines(text: str) -> str:
    if text.isprintable():
        return plain(text)
    return "\n".join(plain(line) if line.strip() else "" for line in text.split("\n"))


def _caveat(caveat: Caveat) -> dict[str, Any]:
    return {
        "rank": Severity.CRITICAL - caveat.severity,
        "id": caveat.id,
        "severity": caveat.severity.name.lower(),
        "sentence": caveat.sentence,
        "evidence": json.dumps(caveat.evidence, indent=2, ensure_ascii=False),
    }


def _severities(caveats: list[Caveat]) -> str:
    counts = Counter(caveat.severity.name.lower() for caveat in caveats)
    return ", ".join(
        f"{number} {name}" if name == "critical" else count(number, name)
        for name, number in counts.items()
    )


def _figure(name: str, figures: Path, templates: Path) -> dict[str, Any]:
    from markupsafe import Markup

    caption = " ".join((templates / "captions" / f"{name}.rst").read_text(encoding="utf-8").split())
    svg = Markup(inline_svg(figures / f"{name}.svg", name, caption))
    return {"name": name, "svg": svg, "caption": caption}


def _sample(results: Results) -> str:
    """n, in every caption."""
    numbers = [len(cell.ok_runs) for cell in results.cells if cell.ok_runs]
    return (
        f"Runs per cell with a time: {spread(numbers)}." if numbers else "Nothing is measured yet."
    )


def _citation(results: Results) -> str:
    plan = results.plan
    return (
        f"Millistep (CITATION.cff of its repository), {plan.scale} scale, "
        f"{plan.runs_per_cell} planned, measured on {machines(results)}, "
        f"{period(results)}; sha256 of plan and records {results.digest}."
    )
