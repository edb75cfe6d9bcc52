"""Published trainings of small models on a processor and on a GPU, as data with their labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    **{"model": str, "task": str, "batch_size": int, "device": str, "epochs": int},
    **{"total_s": float, "steps_per_epoch": int, "ms_per_step_low": float},
    **{"ms_per_step_high": float, "accuracy": float, "validation_accuracy": float},
}


@dataclass(frozen=True, eq=False)
class PublishedDevices:
    """A source that compares two devices of one machine, in one framework.

    `trainings` has a line per training to its end, with COLUMNS: on a device (cpu, cuda) from
    `ms_per_step_low` to `ms_per_step_high`, `total_s` with the validation of every epoch.
    """

    title: str
    url: str | None
    framework: str
    hardware: dict[str, str]  # by device
    software: str
    versions: dict[str, str]  # by package
    parameters: dict[str, int]  # by model
    method: str
    trainings: DataFrame


def load_devices(folder: Path, entry: dict[str, Any]) -> PublishedDevices:
    """Read the table that an entry of sources.yaml names, with its labels."""
    from pandas import read_csv  # here, because importing it takes longer than most commands

    trainings = read_csv(folder / entry["table"], usecols=list(COLUMNS), dtype=COLUMNS)
    labels = {name: value for name, value in entry.items() if name != "table"}
    return PublishedDevices(**labels, trainings=trainings)
