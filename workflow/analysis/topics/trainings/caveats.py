"""Trainings to the end that did not take place, or that ended elsewhere than others."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Changes, Severity, label, name, rule
from analysis.data import Data
from analysis.formats.text import count, percent
from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.topics.trainings.compute import SAME_LOSS, SAME_RIGHT, trainings

KERAS_BESIDE_PYTORCH = ({"keras2", "pytorch"}, {"keras3", "pytorch"})


@rule(
    "Trainings ended elsewhere",
    "The same weights and images bring them to another loss: they do not compute the same.",
    Changes.TIMES,
    "precision: float32, where TF32 is the reason.",
)
def trainings_differ(results: Results) -> Iterator[Caveat]:
    """Compare loss and images told right with those of the row's first training; a thousandth and
    one image are rounding.
    """
    found = trainings(Data(results))
    for each in found[found["as_the_first"].eq(False)].itertuples():
        first, right = int(each.validation_right_first), int(each.validation_right)
        evidence = {
            label(each.cell_first): _numbers(each.validation_loss_first, first),
            label(each.cell): _numbers(each.validation_loss, right),
        }
        sentence = (
            f"{name(each.cell)} ended its training with loss {each.validation_loss:.6f} and "
            f"{count(right, 'image')} right, {each.cell_first.column.title} with "
            f"{each.validation_loss_first:.6f} and {first}: more than {percent(SAME_LOSS)} or "
            f"{count(SAME_RIGHT, 'image')} apart.{_reason(each.cell_first, each.cell)}"
        )
        yield Caveat("trainings_differ", Severity.WARNING, (each.cell,), evidence, sentence)


def _numbers(loss: float, right: int) -> dict[str, float]:
    return {"validation_loss": loss, "validation_right": right}


def _reason(*cells: Cell) -> str:
    """Name the reason where it is known: with Adam as Keras has it on both sides, a net of PyTorch
    had Keras' losses to five digits after each epoch; PyTorch's own multiplied what rounding had
    made of small gradients.
    """
    families = {cell.column.family for cell in cells}
    records = [record for cell in cells for record in cell.records]
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
    """Find trainings without their data, with an error, or cut short."""
    planned = (results.plan.training or {}).get("epochs", 0)
    for each in trainings(Data(results)).itertuples():
        if each.status == "ok" and each.epochs >= planned:
            continue
        reason = f"{each.status}: {each.reason}" if each.reason else "it was cut short"
        epochs = f"{each.epochs} of {count(planned, 'epoch')}"
        evidence = {"epochs": each.epochs, "planned": planned, "reason": reason}
        sentence = f"{name(each.cell)}: {epochs} ({reason})."
        yield Caveat("trainings_missing", Severity.WARNING, (each.cell,), evidence, sentence)
