"""Published trainings of small nets on a processor and on a GPU, as data with their labels."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.results.plan import RowKey


@dataclass(frozen=True)
class Training:
    """One training to its end; ms/step are from `low_ms` to `high_ms`, accuracies at the end."""

    row: RowKey
    device: str  # cpu, cuda
    epochs: int
    total_s: float
    steps_per_epoch: int
    low_ms: float
    high_ms: float
    accuracy: float
    validation_accuracy: float

    @property
    def epoch_s(self) -> float:
        """Seconds of an epoch, its validation included."""
        return self.total_s / self.epochs


@dataclass(frozen=True)
class PublishedDevices:
    """A source that compares two devices of one machine, in one framework."""

    title: str
    url: str | None
    framework: str
    hardware: dict[str, str]  # by device
    software: str
    versions: dict[str, str]  # by package
    parameters: dict[str, int]  # by model
    method: str
    trainings: tuple[Training, ...]


def load_devices(folder: Path, entry: dict[str, Any]) -> PublishedDevices:
    """The table that an entry of sources.yaml names, with its labels."""
    with (folder / entry["table"]).open(encoding="utf-8", newline="") as lines:
        trainings = tuple(map(_training, csv.DictReader(lines)))
    labels = {name: value for name, value in entry.items() if name != "table"}
    return PublishedDevices(**labels, trainings=trainings)


def _training(line: dict[str, Any]) -> Training:
    return Training(
        row=(line["model"], line["task"], int(line["batch_size"])),
        device=line["device"],
        epochs=int(line["epochs"]),
        total_s=float(line["total_s"]),
        steps_per_epoch=int(line["steps_per_epoch"]),
        low_ms=float(line["ms_per_step_low"]),
        high_ms=float(line["ms_per_step_high"]),
        accuracy=float(line["accuracy"]),
        validation_accuracy=float(line["validation_accuracy"]),
    )
