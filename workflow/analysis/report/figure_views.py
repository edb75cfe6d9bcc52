"""Figures for the templates, with their captions; their SVG stands in the page, without ids that
clash and colours that vanish in dark mode.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analysis.figures.panels import NOTHING
from analysis.figures.style import INK, PUBLISHED, RULE
from analysis.formats.strict_json import read_bytes
from analysis.formats.text import spread
from analysis.results.results import Results
from contract.report_contents import caption

_PROLOGUE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_ID = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(|href=")#([^")]+)')


def figure_view(name: str, figures: Path) -> dict[str, Any]:
    """A figure for a template, from the folder that it was drawn into."""
    from markupsafe import Markup

    text = " ".join(caption(name).split())
    svg = Markup(inline_svg(figures / f"{name}.svg", name))
    return {"name": name, "svg": svg, "caption": text, "empty": f'id="{name}-{NOTHING}"' in svg}


def drawn(names: Iterable[str], figures: Path) -> list[dict[str, Any]]:
    """These figures, without those that have nothing to show."""
    views = (figure_view(name, figures) for name in names)
    return [view for view in views if not view["empty"]]


def inline_svg(path: Path, name: str) -> str:
    """The svg element of a figure drawn by this project, which its caption names for those who do
    not see it.
    """
    svg = _METADATA.sub("", _PROLOGUE.sub("", read_bytes(path, str(path)).decode("utf-8")))
    svg = _ID.sub(rf'id="{name}-\1"', svg)
    svg = _REFERENCE.sub(rf"\1#{name}-\2", svg)
    for colour, name_in_css in ((INK, "ink"), (RULE, "rule"), (PUBLISHED, "quiet")):
        svg = svg.replace(colour, f"var(--{name_in_css})")
    return svg.replace("<svg ", f'<svg role="img" aria-labelledby="caption-{name}" ', 1)


def sample(results: Results) -> str:
    """The number of runs per cell, for every caption."""
    numbers = [len(cell.ok_runs) for cell in results.cells if cell.ok_runs]
    return f"Runs per cell with a time: {spread(numbers) if numbers else 'none'}."
