"""How the time of a cell changed from archive to archive of one machine.

The runs of two archives are not paired, so the last is compared with the first by Welch's interval.
A change point is found by PELT (`ruptures`), with the noise and the penalty by which levels within
a run are found; days differ by more than rounds, so the noise is that between neighbouring dates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

import pandas as pd

from analysis.atlas.read import RATIO
from analysis.atlas.tables import Atlas
from analysis.compare.welch import welch_ratio
from analysis.data import CELL, ROW
from analysis.statistics.intervals import MARGIN, ends
from analysis.statistics.steady_state import change_points, noise

MIN_DATES = 8  # with fewer, the noise between dates is not known well enough
KEY = ["machine", "scale", "work", "accelerator", *CELL]
COLUMNS = [*KEY, "row_title", "dates", "first_date", "last_date", "stacks", "first_cell"]
COLUMNS += ["last_cell", *RATIO, "verdict", "changes", "points"]


def trends(atlas: Atlas) -> pd.DataFrame:
    """A line per cell that a machine has a time of in two archives or more, in order of date.

    `ratio` is the last over the first time; `changes` says at which archive the level changed and
    by which factor, None where there are fewer than MIN_DATES; `points` are (cell, ms, low, high).
    """
    measured = atlas.cells[atlas.cells["step_ms"].notna() & atlas.cells["tells_nothing"].eq("")]
    lines = []
    for key, of in measured.groupby(KEY, sort=False):
        if len(of) > 1:
            lines.append(dict(zip(KEY, key, strict=True)) | _trend(of))
    found = pd.DataFrame(lines, columns=COLUMNS)
    return found.sort_values([*ROW, "column", "machine"], kind="stable", ignore_index=True)


def _trend(of: pd.DataFrame) -> dict[str, Any]:
    first, last = of.iloc[0], of.iloc[-1]
    ratio = welch_ratio(last["run_ms"], first["run_ms"])
    return {
        "row_title": last["row_title"],
        "dates": len(of),
        "first_date": first["date"],
        "last_date": last["date"],
        "stacks": list(dict.fromkeys(of["stack"])),
        "first_cell": int(first["cell"]),
        "last_cell": int(last["cell"]),
        **dict(zip(RATIO, (ratio.value, *ends(ratio.interval)), strict=True)),
        "verdict": str(ratio.verdict) if ratio.interval else None,
        "changes": _changes(of),
        "points": of[["cell", "step_ms", "ci95_low_ms", "ci95_high_ms"]].to_numpy().tolist(),
    }


def _changes(of: pd.DataFrame) -> list[dict[str, Any]] | None:
    if len(of) < MIN_DATES:
        return None
    return [
        {"cell": int(of["cell"].iloc[at]), "date": of["date"].iloc[at], "factor": factor}
        for at, factor in level_changes(of["step_ms"])
    ]


def level_changes(times_ms: Sequence[float]) -> list[tuple[int, float]]:
    """The places at which a new level of times begins, each with that level over the one before;
    changes within the margin do not count.
    """
    logs = [math.log(time) for time in times_ms]
    starts = [*change_points(logs, noise(logs)), len(logs)]
    levels = [fmean(logs[a:b]) for a, b in pairwise(starts)]
    steps = zip(starts[1:-1], levels[:-1], levels[1:], strict=True)
    found = [(at, math.exp(after - before)) for at, before, after in steps]
    return [(at, factor) for at, factor in found if abs(math.log(factor)) > math.log1p(MARGIN)]
