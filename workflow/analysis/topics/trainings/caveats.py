"""Trainings to the end that did not take place, or that ended elsewhere than others."""

from collections.abc import Iterator

from analysis.caveats.core import Found, label, name, rule
from analysis.data import Data
from analysis.formats.text import count, percent
from analysis.results.cells import Cell
from analysis.topics.trainings.compute import SAME_LOSS, SAME_RIGHT, trainings

KERAS_BESIDE_PYTORCH = ({"keras2", "pytorch"}, {"keras3", "pytorch"})


@rule
def trainings_differ(data: Data) -> Iterator[Found]:
    """Compare loss and images told right with those of the row's first training; a thousandth and
    one image are rounding.
    """
    found = trainings(data)
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
        yield Found((each.cell,), evidence, {"sentence": sentence})


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


@rule
def trainings_missing(data: Data) -> Iterator[Found]:
    """Find trainings without their data, with an error, or cut short."""
    planned = (data.results.plan.training or {}).get("epochs", 0)
    for each in trainings(data).itertuples():
        if each.status == "ok" and each.epochs >= planned:
            continue
        reason = f"{each.status}: {each.reason}" if each.reason else "it was cut short"
        evidence = {"epochs": each.epochs, "planned": planned, "reason": reason}
        yield Found((each.cell,), evidence, {"name": name(each.cell)})
