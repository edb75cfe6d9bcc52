"""The caveats as files: data, a text, and the landing page of Snakemake's own report."""

from __future__ import annotations

import json
from pathlib import Path

from analysis.caveats.core import Caveat, caveats_json
from analysis.caveats.groups import Group, grouped
from analysis.caveats.published_table import published_caveats
from analysis.formats.errors import write_text
from analysis.formats.text import markdown, rst
from analysis.results.reference import Reference
from analysis.results.results import Results


def write_caveats(
    caveats: list[Caveat], results: Results, reference: Reference, folder: Path
) -> None:
    """Write caveats.json, caveats.md and caveats.rst."""
    groups = grouped(caveats, results)
    content = caveats_json(caveats, published_caveats(reference))
    document = json.dumps(content, indent=2, sort_keys=True, allow_nan=False)
    write_text(folder / "caveats.json", document + "\n")
    write_text(folder / "caveats.md", to_markdown(groups))
    write_text(folder / "caveats.rst", to_rst(groups))


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
