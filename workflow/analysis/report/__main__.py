"""python -m analysis.report --plan results/plan.json --figures results/figures --output
results/report.html
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from analysis.caveats import Caveat, collect
from analysis.cells import Results
from analysis.commands import add_reference, parser, results_of
from analysis.errors import run_command, write_text
from analysis.reference import Reference, load_reference
from analysis.report.abstract import abstract
from analysis.report.inline_svg import inline_svg
from analysis.report.methods_text import methods_text
from analysis.report.sections import environments, parity_cards, schedule, time_breakdown
from analysis.report.setting import facts, machines, period, settings, spread
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.tables.writers import to_html
from analysis.text import count, listed, plain

TEMPLATES = Path(__file__).resolve().parents[3] / "report"
FIGURES = ("speedup_over_keras2", "speedup_over_pytorch", "blocks", "methods")
CONTENTS = (
    ("setting", "What was run"),
    ("table", "Table"),
    ("caveats", "Caveats"),
    ("figures", "Figures"),
    ("published", "Ours beside published"),
    ("parity", "Parity cards"),
    ("time", "Where the time went"),
    ("environments", "Environments"),
    ("schedule", "Schedule"),
    ("methods", "Methods text"),
    ("reproduce", "How to reproduce"),
    ("cite", "How to cite"),
)


def render(results: Results, reference: Reference, figures: Path, templates: Path) -> str:
    """The whole page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_one_line,
    )
    caveats = collect(results)
    return environment.get_template("report.html.j2").render(
        title=_title(results),
        style=Markup((templates / "style.css").read_text(encoding="utf-8")),
        abstract=abstract(results, reference, caveats),
        contents=CONTENTS,
        facts=facts(results),
        table=Markup(to_html(main_table(results))),
        caveats=[_caveat(caveat) for caveat in caveats],
        severities=_severities(caveats),
        figures=[_figure(name, figures, templates) for name in FIGURES],
        sample=_sample(results),
        published=Markup(to_html(published_table(results, reference))),
        reference=reference,
        parity=parity_cards(results),
        breakdown=time_breakdown(results),
        environments=environments(results),
        schedule=schedule(results),
        methods=methods_text(results),
        settings=settings(results),
        citation=_citation(results),
        models=results.plan.models.values(),
    )


def _title(results: Results) -> str:
    return f"Millistep report: {listed([model.title for model in results.plan.models.values()])}"


def _one_line(value: Any) -> Any:
    """Control characters of foreign text never reach the page; what is markup already was made
    here.
    """
    return value if hasattr(value, "__html__") or not isinstance(value, str) else _keep_lines(value)


def _keep_lines(text: str) -> str:
    return "\n".join(plain(line) if line.strip() else "" for line in text.split("\n"))


def _caveat(caveat: Caveat) -> dict[str, str]:
    evidence = json.dumps(caveat.evidence, indent=2, ensure_ascii=False)
    return {
        "severity": caveat.severity.name.lower(),
        "sentence": caveat.sentence,
        "evidence": evidence,
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
    return {"svg": Markup(inline_svg(figures / f"{name}.svg", name, caption)), "caption": caption}


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
        f"{count(plan.runs, 'run')} per cell planned, measured on {machines(results)}, "
        f"{period(results)}; sha256 of plan and records {results.digest}."
    )


def main() -> None:
    """Write the report; figures are read from where analysis.figures put them."""
    options = parser("Write the report of a plan and its records.")
    add_reference(options)
    options.add_argument(
        "--figures", type=Path, required=True, help="folder of the figures, as SVG"
    )
    options.add_argument(
        "--templates", type=Path, default=TEMPLATES, help="folder of template, style and captions"
    )
    options.add_argument("--output", type=Path, required=True)
    arguments = options.parse_args()
    reference = load_reference(arguments.reference)
    page = render(results_of(arguments), reference, arguments.figures, arguments.templates)
    write_text(arguments.output, page)


if __name__ == "__main__":
    run_command(main)
