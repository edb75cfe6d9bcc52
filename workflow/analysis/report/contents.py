"""The sections of the report and of its appendix, in order.

A section is one template. On the report it is `brief`; those of IN_FULL stand in the appendix too,
with everything that is behind them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from analysis.topics import heading

# Below the first page, in order: names of templates in report/sections, which are anchors too,
# and names of topics.
OF_TOPICS = ("effects", "cross_over", "trainings", "why", "native")
SECTIONS = ("caveats", "findings", *OF_TOPICS, "claims", "published", "figures")
SECTIONS += ("run", "methods", "reproduce", "cite")
# Of the appendix: first what the report shows in brief, then what it does not show.
IN_FULL = ("caveats", "findings", "effects", "why", "native", "claims")
DETAILS = ("measured", "cells", "details", "quality", "machine", "versions")
# Those that are left out where they have nothing to say.
OPTIONAL = ("findings", "claims", "published", "figures", "details")
HEADINGS = {
    "caveats": "Caveats",
    "findings": "Key findings",
    "claims": "Published claims",
    "published": "Published table",
    "figures": "Figures",
    "run": "What was run",
    "methods": "Methods text",
    "reproduce": "How to reproduce",
    "cite": "How to cite",
    "measured": "What each row measures",
    "cells": "Every cell",
    "details": "Figures of every cell",
    "quality": "Self-test and canaries",
    "machine": "Machine card",
    "versions": "Versions",
}


def contents(names: Sequence[str], values: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield anchor, heading and template of each section that has anything to show."""
    for name in names:
        if name in values["topics"]:
            yield name, heading(name), f"{name}/section.html.j2"
        elif name in HEADINGS and (name not in OPTIONAL or values[name]):
            yield name, HEADINGS[name], f"sections/{name}.html.j2"
