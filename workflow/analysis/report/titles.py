"""What a report is called."""

from analysis.formats.text import count, listed
from analysis.results.results import Results
from analysis.results.runs import NOT_MEASURED
from analysis.results.stand_in import TITLE, is_simulated


def title(results: Results) -> str:
    """Return a study's own title, or the models; before it, that a GPU was simulated or that runs
    are still to come.
    """
    study = results.plan.study
    models = listed([model.title for model in results.plan.models.values()])
    named = f"Millistep report: {study['title'] if study else models}"
    runs = [run for _, run in results.runs]
    if left := sum(run.status == NOT_MEASURED for run in runs):
        named = f"So far, {len(runs) - left} of {count(len(runs), 'run')}. {named}"
    return f"{TITLE}: {named}" if is_simulated(results) else named
