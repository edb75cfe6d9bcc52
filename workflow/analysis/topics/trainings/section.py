"""The section on trainings to the end: a table with a line per cell that was trained."""

from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.data import Data
from analysis.formats.text import NA, percent, seconds
from analysis.topics.trainings.compute import at_random, trainings
from analysis.writing.grid import Grid


def values(data: Data) -> dict[str, Any] | None:
    """Return the table; those that ended elsewhere are marked."""
    found = trainings(data)
    found = found[found["epochs"] > 0].reset_index(drop=True)
    if found.empty:
        return None
    target = found["target_accuracy"].iloc[0]
    aim = f"; the target is {percent(target)}" if target else ""
    if any(at_random(data, model) for model in found["model"]):
        aim += "; nets that drop out at random may end anywhere and are not compared"
    caption = (
        "Trained to the end on real data, after the timed steps of run 1: loss and accuracy of the "
        "validation, seconds of an epoch with it (median), and the same predicted from ms/step"
        f"{aim}"
    )
    elsewhere = found.index[found["as_the_first"].eq(False)]
    table = Grid.of(_texts(found), caption)
    return {"table": replace(table, marked=frozenset(elsewhere), mark="ended elsewhere")}


def _texts(found: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Net and column": [f"{c.row.label}: {c.column.title}" for c in found["cell"]],
            "Data, epochs": found["data"] + ", " + found["epochs"].map(str),
            "Loss": found["validation_loss"].map("{:.6f}".format),
            "Accuracy": found["validation_accuracy"].map("{:.4f}".format),
            "s/epoch": found["epoch_s"].map(seconds),
            "by ms/step": found["predicted_epoch_s"].map(seconds),
            "Seconds to the target": list(
                map(_reached, found["target_accuracy"], found["seconds_to_target"])
            ),
        }
    )


def _reached(target: float | None, reached_s: float | None) -> str:
    return seconds(reached_s) if reached_s else "not reached" if target else NA
