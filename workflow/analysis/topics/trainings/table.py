"""trainings.csv."""

import pandas as pd

from analysis.data import Data
from analysis.topics.trainings import compute


def trainings(data: Data) -> pd.DataFrame:
    """Return a line per cell that was to be trained; see :func:`compute.trainings`."""
    return compute.trainings(data)[compute.COLUMNS]
