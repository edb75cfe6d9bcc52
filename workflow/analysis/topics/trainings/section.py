"""The section on trainings to the end: a table with a line per cell that was trained."""

from dataclasses import replace
from typing import Any

from analysis.data import Data
from analysis.topics.trainings.compute import at_random, compared
from analysis.writing.texts import Texts


def section(data: Data) -> dict[str, Any] | None:
    """Return the table, in which those that ended elsewhere are marked; None without any."""
    found = compared(data)
    found = found[found["epochs"] > 0].reset_index(drop=True)
    if found.empty:
        return None
    told = {"target": found["target_accuracy"].iloc[0]}
    told["at_random"] = any(at_random(data, model) for model in found["model"])
    elsewhere = found.index[found["as_the_first"].eq(False)]
    table = Texts(__file__).grid("table", found, **told)
    return {"table": replace(table, marked=frozenset(elsewhere), mark="ended elsewhere")}
