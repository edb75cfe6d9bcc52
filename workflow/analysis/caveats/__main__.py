"""python -m analysis.caveats --plan results/plan.json --output-dir results"""

from __future__ import annotations

import json
from pathlib import Path

from analysis.caveats import collect
from analysis.caveats.core import caveats_json
from analysis.caveats.groups import Group, grouped
from analysis.caveats.published_table import published_caveats
from analysis.formats.errors import run_command, write_text
from analysis.formats.text import markdown, rst
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference


def to_markdown(groups: list[Group]) -> str:
    """A line per caveat, what changes a conclusion first; below it what was found, in numbers."""
    lines = []
    for group in groups:
        lines.append(f"- **{group.severity.name.lower()}** {markdown(str(group))}")
        lines += [f"  - {markdown(member.sentence)}" for member in group.members]
    return "\n".join(lines or ["No caveat applies."]) + "\n"


def to_rst(groups: list[Group]) -> str:
    """The landing page of Snakemake's own report."""
    heading = "What to know before comparing two numbers; first what changes a conclusion."
    lines = [f"- **{group.severity.name.lower()}** {rst(str(group))}" for group in groups]
    return "\n".join([heading if lines else "No caveat applies.", "", *lines]) + "\n"


def main() -> None:
    """Write caveats.json, caveats.md and caveats.rst."""
    options = parser("Write the caveats of a plan and its records, and of the published table.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    results = results_of(arguments)
    caveats = collect(results)
    groups = grouped(caveats, results)
    content = caveats_json(caveats, published_caveats(load_reference(arguments.reference)))
    document = json.dumps(content, indent=2, sort_keys=True, allow_nan=False)
    write_text(arguments.output_dir / "caveats.json", document + "\n")
    write_text(arguments.output_dir / "caveats.md", to_markdown(groups))
    write_text(arguments.output_dir / "caveats.rst", to_rst(groups))


if __name__ == "__main__":
    run_command(main)
