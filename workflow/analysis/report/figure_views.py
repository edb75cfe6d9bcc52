"""Figures for the templates, with their captions."""

from pathlib import Path
from typing import Any

from analysis.formats.contents import caption
from analysis.formats.text import spread
from analysis.report.inline_svg import inline_svg
from analysis.results.results import Results


def figure_view(name: str, figures: Path) -> dict[str, Any]:
    from markupsafe import Markup

    text = " ".join(caption(name).split())
    svg = Markup(inline_svg(figures / f"{name}.svg", name, text))
    return {"name": name, "svg": svg, "caption": text}


def sample(results: Results) -> str:
    """n, in every caption."""
    numbers = [len(cell.ok_runs) for cell in results.cells if cell.ok_runs]
    return (
        f"Runs per cell with a time: {spread(numbers)}." if numbers else "Nothing is measured yet."
    )
