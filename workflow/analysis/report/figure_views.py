"""Figures for the templates, with their captions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.report.inline_svg import inline_svg
from analysis.report.setting import spread
from analysis.results.results import Results


def figure_view(name: str, figures: Path, templates: Path) -> dict[str, Any]:
    from markupsafe import Markup

    caption = " ".join((templates / "captions" / f"{name}.rst").read_text(encoding="utf-8").split())
    svg = Markup(inline_svg(figures / f"{name}.svg", name, caption))
    return {"name": name, "svg": svg, "caption": caption}


def sample(results: Results) -> str:
    """n, in every caption."""
    numbers = [len(cell.ok_runs) for cell in results.cells if cell.ok_runs]
    return (
        f"Runs per cell with a time: {spread(numbers)}." if numbers else "Nothing is measured yet."
    )
