"""In what the rows of this table are not the published benchmark's: batch sizes, scale, weights."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.causes import REACH
from analysis.caveats.core import Caveat, Changes, Severity, rule
from analysis.formats.text import listed
from analysis.results.results import Results


@rule(
    "Batch sizes differ between rows",
    "Compare times along a row, not between rows.",
    Changes.ELSEWHERE,
    cause=REACH,
)
def batch_sizes_differ(results: Results) -> Iterator[Caveat]:
    """Times of different batch sizes cannot be compared down a column."""
    sizes = [row.row.batch_size for row in results.rows]
    if len(set(sizes)) > 1:
        batch_sizes = [f"{row.row.title} {row.row.batch_size}" for row in results.rows]
        sentence = (
            f"Batch sizes differ between rows ({listed(batch_sizes)}): compare times along a row, "
            "not between rows."
        )
        yield Caveat("batch_sizes_differ", Severity.NOTE, (), {"batch_sizes": sizes}, sentence)


@rule(
    "Reduced models, not the paper's",
    "Times are not comparable with published ones, and the full models may rank otherwise.",
    Changes.ELSEWHERE,
    "Set scale: paper, on a machine that holds the full models.",
    REACH,
)
def scale_is_reduced(results: Results) -> Iterator[Caveat]:
    """Reduced models rank frameworks differently from full ones; some nets are never reduced."""
    plan = results.plan
    if plan.reduced:
        reduced = {name: model for name, model in plan.models.items() if not model.full_size}
        titles = [model.title for model in reduced.values()]
        whose = f" of {listed(titles)}" if len(reduced) < len(plan.models) else ""
        sentence = (
            f"Scale is {plan.scale}, not paper: the architectures{whose} are reduced, so these "
            "times are not comparable with published ones, and the ranking may be another than in "
            "the full models."
        )
        yield Caveat(
            "scale_is_reduced",
            Severity.CRITICAL if plan.scale == "smoke" else Severity.WARNING,
            (),
            {
                "scale": plan.scale,
                "models": {name: model.architecture for name, model in reduced.items()},
            },
            sentence,
        )


@rule(
    "Random weights",
    "The times are of interest, the outputs mean nothing.",
    Changes.ELSEWHERE,
    "Set weights: preset, where outputs matter.",
    REACH,
)
def random_weights(results: Results) -> Iterator[Caveat]:
    """With random weights times are valid, and generated texts and images mean nothing."""
    alone = all(column.alone for column in results.plan.columns)
    if results.plan.weights == "random" and not alone:
        sentence = (
            f"Weights are random (seed {results.plan.seed}): the times are of interest, the "
            "outputs mean nothing."
        )
        yield Caveat(
            "random_weights",
            Severity.NOTE,
            (),
            {"weights": results.plan.weights, "seed": results.plan.seed},
            sentence,
        )
