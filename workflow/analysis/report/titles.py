"""What a report is called."""

from __future__ import annotations

from analysis.formats.text import listed
from analysis.results.results import Results


def title(results: Results) -> str:
    """A study's own, or the models."""
    study = results.plan.study
    models = listed([model.title for model in results.plan.models.values()])
    return f"Millistep report: {study['title'] if study else models}"
