"""Trainings to the end: which runs have one, and on what."""

from __future__ import annotations

from typing import Any

from datasets.registry import DATASETS, Dataset
from planning.cells import Row
from planning.models import Model

FOLDER = "results/data"  # of all studies: what lies there is the same for each
DIGITS = "digits"


def dataset(config: dict[str, Any], model: Model) -> Dataset | None:
    """What a model is trained on; None where no training is asked for, or nothing trains it."""
    asked = config["training"]
    if asked is None or model.data is None:
        return None
    return DATASETS[DIGITS if asked["data"] == DIGITS else model.data]


def planned(config: dict[str, Any], model: Model, row: Row, number: int) -> dict[str, Any] | None:
    """Of a run, as its identity has it: the first one of a cell that trains anyway."""
    found = dataset(config, model) if (row.task, number) == ("fit", 1) else None
    return found and {
        "data": found.name,
        "file": f"{FOLDER}/{found.file}",
        "sha256": found.sha256,
        "epochs": config["training"]["epochs"],
    }


def datasets(plan) -> list[Dataset]:
    """Those that the runs of a plan are trained on, each once."""
    models = [plan.models.load(row.model) for row in plan.rows if row.task == "fit"]
    found = (dataset(plan.config, model) for model in models)
    return list(dict.fromkeys(entry for entry in found if entry))


def marker(data: Dataset) -> str:
    """Return the file that fetching a data set writes, whatever becomes of it."""
    return f"{FOLDER}/{data.name}.json"


def markers(plan) -> list[str]:
    """Return those of all data sets of a plan."""
    return [marker(data) for data in datasets(plan)]
