"""python -m analysis.caveats --plan results/plan.json --output-dir results"""

from __future__ import annotations

import json
from pathlib import Path

from analysis.caveats import Caveat, collect
from analysis.caveats.core import caveats_json
from analysis.caveats.published_table import published_caveats
from analysis.formats.errors import run_command, write_text
from analysis.formats.text import markdown, rst
from analysis.results.commands import add_reference, parser, results_of
from analysis.results.reference import load_reference


def to_markdown(caveats: list[Caveat]) -> str:
    """One line per caveat, most severe first."""
    lines = [
        f"- **{caveat.severity.name.lower()}** {markdown(caveat.sentence)}" for caveat in caveats
    ]
    return "\n".join(lines or ["No caveat applies."]) + "\n"


def to_rst(caveats: list[Caveat]) -> str:
    """The landing page of Snakemake's own report."""
    heading = "What to know before comparing two numbers, most severe first."
    lines = [f"- **{caveat.severity.name.lower()}** {rst(caveat.sentence)}" for caveat in caveats]
    return "\n".join([heading if lines else "No caveat applies.", "", *lines]) + "\n"


def main() -> None:
    """Write caveats.json, caveats.md and caveats.rst."""
    options = parser("Write the caveats of a plan and its records, and of the published table.")
    add_reference(options)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    caveats = collect(results_of(arguments))
    content = caveats_json(caveats, published_caveats(load_reference(arguments.reference)))
    document = json.dumps(content, indent=2, sort_keys=True, allow_nan=False)
    write_text(arguments.output_dir / "caveats.json", document + "\n")
    write_text(arguments.output_dir / "caveats.md", to_markdown(caveats))
    write_text(arguments.output_dir / "caveats.rst", to_rst(caveats))


if __name__ == "__main__":
    run_command(main)
