"""What the report shows that the rules must know too: report/figures.yaml."""

from __future__ import annotations

from pathlib import Path

FIGURES = Path(__file__).resolve().parents[3] / "report" / "figures.yaml"


def figure_modules() -> dict[str, str]:
    """In which module of :mod:`analysis.figures` each figure is drawn, in the report's order."""
    import yaml

    return yaml.safe_load(FIGURES.read_text(encoding="utf-8"))
