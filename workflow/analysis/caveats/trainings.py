"""Trainings to the end that did not take place, or that ended elsewhere than others."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, name, rule
from analysis.comparisons.trainings import (
    SAME_LOSS,
    SAME_RIGHT,
    Trained,
    asked,
    disagreeing,
    trained,
)
from analysis.formats.text import count, percent
from analysis.results.results import Results

KERAS_BESIDE_PYTORCH = ({"keras2", "pytorch"}, {"keras3", "pytorch"})


@rule(
    "Trainings ended elsewhere",
    "The same weights and images bring them to another loss: they do not compute the same.",
    Changes.TIMES,
    "precision: float32, where TF32 is the reason.",
)
def trainings_differ(results: Results) -> Iterator[Caveat]:
    """Loss within a thousandth and one image told otherwise is what rounding does."""
    for row in results.rows:
        for found in disagreeing(results, row):
            first = trained(row)[0]
            evidence = {
                label(each.cell): {"validation_loss": each.loss, "validation_right": each.right}
                for each in (first, found)
            }
            sentence = (
                f"{name(found.cell)} ended its training with loss {found.loss:.6f} and "
                f"{count(found.right, 'image')} right, {first.cell.column.title} with "
                f"{first.loss:.6f} and {first.right}: more than {percent(SAME_LOSS)} or "
                f"{count(SAME_RIGHT, 'image')} apart.{_reason(first, found)}"
            )
            yield Caveat("trainings_differ", Severity.WARNING, (found.cell,), evidence, sentence)


def _reason(first: Trained, other: Trained) -> str:
    """Where it is known: with both as Keras has them, a net of PyTorch's had Keras' losses to five
    digits after each epoch; with its own it multiplied what rounding had made of small gradients.
    """
    families = {each.cell.column.family for each in (first, other)}
    records = [record for each in (first, other) for record in each.cell.records]
    optimizers = {record.parity["optimizer"] for record in records if record.parity}
    if optimizers != {"Adam"} or families not in KERAS_BESIDE_PYTORCH:
        return ""
    return (
        " They do not take the same steps: Keras adds Adam's epsilon before the correction of the "
        "bias, which it computes in float32, and PyTorch after it, in float64, where epsilon is up "
        "to 32 times smaller."
    )


@rule(
    "Trainings that did not end",
    "Their loss, accuracy and seconds are missing, or are those of fewer epochs.",
    Changes.ELSEWHERE,
    "Remove the record of run 1 and start again to try it again.",
)
def trainings_missing(results: Results) -> Iterator[Caveat]:
    """Without the data, with an error, or cut short."""
    for cell in results.cells:
        found = asked(cell)
        planned = (results.plan.training or {}).get("epochs", 0)
        if found and (found.status != "ok" or len(found.epochs) < planned):
            reason = f"{found.status}: {found.reason}" if found.reason else "it was cut short"
            epochs = f"{len(found.epochs)} of {count(planned, 'epoch')}"
            sentence = f"{name(cell)}: {epochs} ({reason})."
            evidence = {"epochs": len(found.epochs), "planned": planned, "reason": reason}
            yield Caveat("trainings_missing", Severity.WARNING, (cell,), evidence, sentence)
