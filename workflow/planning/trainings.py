"""Trainings to the end: the runs that have one, and their data sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from datasets.fetch import digest
from datasets.registry import DATASETS, Dataset
from planning.cells import Row
from planning.models import Model

FOLDER = "results/data"  # shared by all studies: the data are the same for each
DIGITS = "digits"


def dataset(config: dict[str, Any], model: Model) -> Dataset | None:
    """The data set a model is trained on; None if no training is asked for, or it has no data."""
    asked = config["training"]
    if asked is None or model.data is None:
        return None
    return DATASETS[DIGITS if asked["data"] == DIGITS else model.data]


def planned(config: dict[str, Any], model: Model, row: Row, number: int) -> dict[str, Any] | None:
    """The training of a run, as in its identity; None for all but the first run of a fit cell."""
    found = dataset(config, model) if (row.task, number) == ("fit", 1) else None
    return found and {
        "data": found.name,
        "file": f"{FOLDER}/{found.file}",
        "sha256": found.sha256,
        "epochs": config["training"]["epochs"],
    }


def datasets(plan) -> list[Dataset]:
    """The data sets that runs of a plan are trained on, each once."""
    models = [plan.models.load(row.model) for row in plan.rows if row.task == "fit"]
    found = (dataset(plan.config, model) for model in models)
    return list(dict.fromkeys(entry for entry in found if entry))


def marker(data: Dataset) -> str:
    """The file that fetching a data set writes, whether it succeeds or fails."""
    return f"{FOLDER}/{data.name}.json"


def was_fetched(marker: str) -> bool:
    """False if a marker says why a data set could not be fetched, or cannot be read, or if the data
    set is no longer there as it was fetched.
    """
    try:
        found = json.loads(Path(marker).read_text())
        data = DATASETS[found["name"]]
        return found["reason"] is None and digest(Path(FOLDER, data.file)) == data.sha256
    except (OSError, ValueError, KeyError, TypeError):
        return False


def markers(plan) -> list[str]:
    """The markers of all data sets of a plan."""
    return [marker(data) for data in datasets(plan)]
