"""What a report is called."""

from __future__ import annotations

from analysis.formats.text import listed
from analysis.results.results import Results
from analysis.results.stand_in import TITLE, is_simulated


def title(results: Results) -> str:
    """Return a study's own title, or the models; first of all that a GPU was simulated."""
    study = results.plan.study
    models = listed([model.title for model in results.plan.models.values()])
    named = f"Millistep report: {study['title'] if study else models}"
    return f"{TITLE}: {named}" if is_simulated(results) else named
