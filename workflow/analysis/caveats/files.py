"""The caveats as files: JSON for programs, Markdown for readers."""

import json
from pathlib import Path

from analysis.caveats.core import Caveat, caveats_json
from analysis.caveats.groups import Group
from analysis.formats.errors import write_text
from analysis.formats.text import markdown


def write_caveats(caveats: list[Caveat], groups: list[Group], folder: Path) -> None:
    """Write caveats.json and caveats.md."""
    document = json.dumps(caveats_json(caveats), indent=2, sort_keys=True, allow_nan=False)
    write_text(folder / "caveats.json", document + "\n")
    write_text(folder / "caveats.md", to_markdown(groups))


def to_markdown(groups: list[Group]) -> str:
    """A line per group, those that change a conclusion first; below it the findings in numbers."""
    lines = []
    for group in groups:
        lines.append(f"- **{group.severity.name.lower()}** {markdown(str(group))}")
        lines += [f"  - {markdown(member.sentence)}" for member in group.members]
    return "\n".join(lines or ["No caveat applies."]) + "\n"
