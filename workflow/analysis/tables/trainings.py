"""What became of trainings to the end, as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.comparisons.trainings import as_the_first, asked, trained
from analysis.results.results import Results
from analysis.tables.csv_files import csv_of, value_text

HEADER = ("model", "task", "batch_size", "column", "data", "status", "reason", "epochs", "images")
HEADER += ("validation_images", "validation_loss", "validation_accuracy", "epoch_s")
HEADER += ("predicted_epoch_s", "target_accuracy", "seconds_to_target", "as_the_first")


def trainings_csv(results: Results) -> str:
    """One line per cell that was to be trained. epoch_s is the median over the epochs, with their
    validation; as_the_first whether loss and accuracy are those of the row's first column, NA where
    that is not to be expected: a net drops out at random, or its epochs are not as many.
    """
    return csv_of(HEADER, ([value_text(entry) for entry in line] for line in _lines(results)))


def _lines(results: Results) -> Iterable[tuple]:
    target = (results.plan.training or {}).get("target_accuracy")
    for row in results.rows:
        ended = {found.cell: found for found in trained(row)}
        same = as_the_first(results, row)
        for cell in row.measured:
            if training := asked(cell):
                head = (*row.row.key, cell.column.name, training.data, training.status)
                head += (training.reason or None, len(training.epochs), training.images)
                found = ended.get(cell)
                tail = (None,) * 7
                if found:
                    tail = (found.loss, found.accuracy, found.epoch_s, found.predicted_s, target)
                    tail += (found.seconds_to(target) if target else None, same.get(cell))
                yield (*head, training.validation_images, *tail)
