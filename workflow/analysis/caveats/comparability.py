"""In what the rows of this table are not the published benchmark's: batch sizes, scale, weights,
device.
"""

from collections.abc import Iterator

from analysis.caveats.core import Found, Severity, rule
from analysis.data import Data
from analysis.formats.text import count
from analysis.results.plan import Plan


@rule
def batch_sizes_differ(data: Data) -> Iterator[Found]:
    """Times of different batch sizes cannot be compared down a column."""
    rows = [row.row for row in data.results.rows]
    sizes = [row.batch_size for row in rows]
    if len(set(sizes)) > 1:
        of_rows = [f"{row.title} {row.batch_size}" for row in rows]
        yield Found(None, {"batch_sizes": sizes}, {"of_rows": of_rows})


@rule
def scale_is_reduced(data: Data) -> Iterator[Found]:
    """Reduced models rank frameworks differently from full ones; some nets are never reduced."""
    plan = data.results.plan
    if plan.reduced:
        reduced = {name: model for name, model in plan.models.items() if not model.full_size}
        models = {name: model.architecture for name, model in reduced.items()}
        severity = Severity.CRITICAL if plan.scale == "smoke" else None
        titles = [model.title for model in reduced.values()]
        yield Found(None, {"scale": plan.scale, "models": models}, {"titles": titles}, severity)


@rule
def random_weights(data: Data) -> Iterator[Found]:
    """With random weights times are valid, and generated texts and images mean nothing."""
    plan = data.results.plan
    if plan.weights == "random" and not _without_models(plan):
        yield Found(None, {"weights": plan.weights, "seed": plan.seed})


@rule
def measured_on_cpu(data: Data) -> Iterator[Found]:
    """A ranking on processors need not hold on a GPU; the number of threads is part of it."""
    results = data.results
    threads = sorted({record.threads.requested for record in results.records})
    if results.accelerators == ("cpu",) and threads and not _without_models(results.plan):
        of_processes = [count(number, "thread") for number in threads]
        evidence = {"accelerator": "cpu", "threads": threads}
        yield Found(None, evidence, {"of_processes": of_processes})


def _without_models(plan: Plan) -> bool:
    """Whether all columns are operations without a framework."""
    return all(column.alone for column in plan.columns)
