"""trainings.csv."""

from __future__ import annotations

import pandas as pd

from analysis.data import CELL, Data
from analysis.topics.trainings import compute

COLUMNS = [*CELL, "data", "status", "reason", "epochs", "images", "validation_images"]
COLUMNS += ["validation_loss", "validation_accuracy", "epoch_s", "predicted_epoch_s"]
COLUMNS += ["target_accuracy", "seconds_to_target", "as_the_first"]


def trainings(data: Data) -> pd.DataFrame:
    """Return a line per cell that was to be trained; see :func:`compute.trainings`."""
    return compute.trainings(data)[COLUMNS]
