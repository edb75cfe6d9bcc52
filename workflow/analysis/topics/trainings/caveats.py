"""Trainings to the end that did not take place, or that ended elsewhere than others."""

from collections.abc import Iterator

from analysis.caveats.core import Found, label, name, rule
from analysis.data import Data
from analysis.results.cells import Cell
from analysis.topics.trainings.compute import SAME_LOSS, SAME_RIGHT, compared

KERAS_BESIDE_PYTORCH = ({"keras2", "pytorch"}, {"keras3", "pytorch"})


@rule
def trainings_differ(data: Data) -> Iterator[Found]:
    """Compare loss and images told right with those of the row's first training; a thousandth and
    one image are rounding.
    """
    found = compared(data)
    for each in found[found["as_the_first"].eq(False)].itertuples():
        losses = (each.validation_loss_first, each.validation_loss)
        rights = (int(each.validation_right_first), int(each.validation_right))
        cells = (each.cell_first, each.cell)
        evidence = {
            label(cell): {"validation_loss": loss, "validation_right": right}
            for cell, loss, right in zip(cells, losses, rights, strict=True)
        }
        words = {"name": name(each.cell), "first": each.cell_first.column.title}
        words |= {"losses": losses, "rights": rights, "adam": _adam_differs(*cells)}
        words |= {"same_loss": SAME_LOSS, "same_right": SAME_RIGHT}
        yield Found((each.cell,), evidence, words)


def _adam_differs(*cells: Cell) -> bool:
    """Return whether the reason is known: with Adam as Keras has it on both sides, a PyTorch model
    had Keras' losses to five digits after each epoch; PyTorch's own multiplied what rounding had
    made of small gradients.
    """
    families = {cell.column.family for cell in cells}
    optimizers = {optimizer for cell in cells for optimizer in cell.reported("optimizer")}
    return optimizers == {"Adam"} and families in KERAS_BESIDE_PYTORCH


@rule
def trainings_missing(data: Data) -> Iterator[Found]:
    """Find trainings without their data, with an error, or cut short."""
    planned = (data.results.plan.training or {}).get("epochs", 0)
    for each in compared(data).itertuples():
        if each.status == "ok" and each.epochs >= planned:
            continue
        reason = f"{each.status}: {each.reason}" if each.reason else "it was cut short"
        evidence = {"epochs": each.epochs, "planned": planned, "reason": reason}
        yield Found((each.cell,), evidence, {"name": name(each.cell)})
