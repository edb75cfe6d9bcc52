"""Putting a figure's SVG into a page: no clashing ids, no colours that vanish in dark mode."""

import re
from pathlib import Path

from analysis.figures.style import INK, PUBLISHED, RULE
from analysis.formats.strict_json import read_bytes
from analysis.formats.text import html_text

_PROLOGUE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_ID = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(|href=")#([^")]+)')


def inline_svg(path: Path, name: str, description: str) -> str:
    """The svg element of a figure drawn by this project, named and described for those who do not
    see it.
    """
    svg = _METADATA.sub("", _PROLOGUE.sub("", read_bytes(path, str(path)).decode("utf-8")))
    svg = _ID.sub(rf'id="{name}-\1"', svg)
    svg = _REFERENCE.sub(rf"\1#{name}-\2", svg)
    for colour, name_in_css in ((INK, "ink"), (RULE, "rule"), (PUBLISHED, "quiet")):
        svg = svg.replace(colour, f"var(--{name_in_css})")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{html_text(description)}" ', 1)
