"""Trainings to the end: how long they took, what came out, and whether all columns of a row agree.

Every column begins with the same weights and takes the same images in the same order, so at the
end their losses differ by rounding alone, unless a net drops out at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.timing import Training

SAME_LOSS = 1e-3  # relative
SAME_RIGHT = 1  # validation images


@dataclass(frozen=True)
class Trained:
    """A cell's training, of which at least one epoch is over."""

    cell: Cell
    training: Training

    @property
    def loss(self) -> float:
        return self.training.epochs[-1].validation_loss

    @property
    def right(self) -> int:
        return self.training.epochs[-1].validation_right

    @property
    def accuracy(self) -> float:
        """Share of the validation images at the end."""
        return self.right / self.training.validation_images

    @property
    def epoch_s(self) -> float:
        """Median seconds of an epoch with its validation; the first one compiles."""
        return median(epoch.steps_s + epoch.validation_s for epoch in self.training.epochs)

    @property
    def predicted_s(self) -> float:
        """The same from the timed steps: their number times ms/step, and the validation."""
        steps = self.training.images // self.cell.row.batch_size
        validation_s = median(epoch.validation_s for epoch in self.training.epochs)
        return steps * self.cell.step_ms / 1000 + validation_s

    def seconds_to(self, accuracy: float) -> float | None:
        """Until the validation first shows that accuracy; None where it never did."""
        over_s = accumulate(e.steps_s + e.validation_s for e in self.training.epochs)
        return next(
            (
                seconds
                for seconds, epoch in zip(over_s, self.training.epochs, strict=True)
                if epoch.validation_right >= accuracy * self.training.validation_images
            ),
            None,
        )


def asked(cell: Cell) -> Training | None:
    """What became of the training of a cell; None where there was to be none."""
    return next((record.training for record in cell.records if record.training), None)


def trained(row: RowCells) -> list[Trained]:
    """In the order of the table."""
    found = [(cell, asked(cell)) for cell in row.measured]
    return [Trained(cell, training) for cell, training in found if training and training.epochs]


def at_random(results: Results, row: RowCells) -> bool:
    """Whether the row's net drops out at random, so that its trainings may end anywhere."""
    return bool(results.plan.models[row.row.model].architecture.get("dropout"))


def as_the_first(results: Results, row: RowCells) -> dict[Cell, bool]:
    """Whether a cell ended where the row's first one did. Those of another number of epochs are
    left out, and all of a net that drops out at random.
    """
    found = trained(row)
    if not found or at_random(results, row):
        return {}
    first = found[0]
    return {
        each.cell: _agree(first, each)
        for each in found
        if len(each.training.epochs) == len(first.training.epochs)
    }


def disagreeing(results: Results, row: RowCells) -> list[Trained]:
    """Those that ended elsewhere than the first one."""
    same = as_the_first(results, row)
    return [each for each in trained(row) if not same.get(each.cell, True)]


def _agree(one: Trained, other: Trained) -> bool:
    return (
        abs(other.loss - one.loss) <= SAME_LOSS * one.loss
        and abs(other.right - one.right) <= SAME_RIGHT
    )
