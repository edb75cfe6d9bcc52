"""Trainings to the end: how long they took, what came out, and whether all columns of a row agree.

Every column begins with the same weights and takes the same images in the same order, so at the
end their losses differ by rounding alone, unless a model has dropout.
"""

from itertools import accumulate
from statistics import median
from typing import Any

import pandas as pd

from analysis.data import CELL, ROW, Data, cell_key
from analysis.results.cells import Cell
from analysis.results.timing import Training

SAME_LOSS = 1e-3  # relative
SAME_RIGHT = 1  # validation images

COLUMNS = [*CELL, "data", "status", "reason", "epochs", "images", "validation_images"]
COLUMNS += ["validation_loss", "validation_accuracy", "epoch_s", "predicted_epoch_s"]
COLUMNS += ["target_accuracy", "seconds_to_target", "as_the_first"]
COMPARED = ["cell", "epochs", "validation_loss", "validation_right"]


def trainings(data: Data) -> pd.DataFrame:
    """Return a line per cell that was to be trained; see :func:`compared`."""
    return compared(data)[COLUMNS]


def compared(data: Data) -> pd.DataFrame:
    """Return a line per measured cell that was to be trained, with COLUMNS and COMPARED.

    `epochs` are over; loss, accuracy and seconds are missing before the first one is. `epoch_s` is
    the median over epochs with their validation (the first one compiles), `predicted_epoch_s` the
    same from ms/step, where that tells something. `as_the_first` says whether loss and images told
    right are those of the row's first training, whose values end in `_first`; it is missing where
    that is not to be expected: the model has dropout, or the epochs are not as many.
    """
    target = (data.results.plan.training or {}).get("target_accuracy")
    lines = [
        _line(cell, asked, target)
        for cell in data.cell_of.values()
        if (asked := next((record.training for record in cell.records if record.training), None))
    ]
    found = pd.DataFrame(lines, columns=[*COLUMNS[:-1], "cell", "validation_right"], dtype=object)
    found = found.astype({"validation_loss": float, "validation_right": float})
    first = found[found["epochs"] > 0].drop_duplicates(ROW)
    found = found.merge(first[[*ROW, *COMPARED]], on=ROW, how="left", suffixes=("", "_first"))
    loss, right = (found[name] - found[f"{name}_first"] for name in COMPARED[2:])
    same = (loss.abs() <= SAME_LOSS * found["validation_loss_first"]) & (right.abs() <= SAME_RIGHT)
    random = found["model"].map(lambda model: at_random(data, model)).astype(bool)
    alike = ~random & (found["epochs"] == found["epochs_first"])
    return found.assign(as_the_first=same.where(alike))


def at_random(data: Data, model: str) -> bool:
    """Return whether a model has dropout, so that its trainings may end anywhere."""
    return bool(data.results.plan.models[model].architecture.get("dropout"))


def _line(cell: Cell, training: Training, target: float | None) -> dict[str, Any]:
    line = dict(zip(CELL, cell_key(cell), strict=True))
    line |= {"cell": cell, "data": training.data, "status": training.status}
    line |= {"reason": training.reason or None, "epochs": len(training.epochs)}
    line |= {"images": training.images, "validation_images": training.validation_images}
    if not training.epochs:
        return line
    epochs_s = [epoch.steps_s + epoch.validation_s for epoch in training.epochs]
    rights = [epoch.validation_right for epoch in training.epochs]
    steps = training.images // cell.row.batch_size
    validation_s = median(epoch.validation_s for epoch in training.epochs)
    predicted_s = steps * cell.step_ms / 1000 + validation_s if cell.comparable else None
    enough = target and target * training.validation_images
    reached = zip(accumulate(epochs_s), rights, strict=True)
    return line | {
        "validation_loss": training.epochs[-1].validation_loss,
        "validation_right": rights[-1],
        "validation_accuracy": rights[-1] / training.validation_images,
        "epoch_s": median(epochs_s),
        "predicted_epoch_s": predicted_s,
        "target_accuracy": target,
        "seconds_to_target": next((s for s, right in reached if enough and right >= enough), None),
    }
