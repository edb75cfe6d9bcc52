"""What a start prints when it ends, and which workloads are undecided."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from millistep.analysis.frames import WORKLOAD, Data
from millistep.analysis.report.first_page import sentences


def write(data: Data, folder: Path) -> None:
    """Write summary.json: sentences, scale and accelerator, and the state of each workload."""
    of = {name: data.plan[name] for name in ("scale", "accelerator")}
    found = workloads(data).to_dict("records")
    content = {"sentences": sentences(data), "of": of, "workloads": found}
    (folder / "summary.json").write_text(json.dumps(content, indent=1) + "\n")


def workloads(data: Data) -> pd.DataFrame:
    """Return WORKLOAD, rounds (planned), undecided and round_s of each workload.

    round_s: the median over rounds, without what only a first round measures.
    """
    groups = data.cells.groupby(WORKLOAD, sort=False)
    found = groups.agg(rounds=("planned_runs", "max"), undecided=("undecided", "any"))
    runs = data.runs.dropna(subset=["started_at", "finished_at"])
    windows_s = data.windows.groupby(level=0)["elapsed_ns"].sum() / 1e9
    times = runs.assign(
        start=pd.to_datetime(runs["started_at"]),
        end=pd.to_datetime(runs["finished_at"]),
        once_s=runs.get("timing.timed_s", np.nan) - windows_s,
    ).groupby([*WORKLOAD, "run"], sort=False)
    lasted = (times["end"].max() - times["start"].min()).dt.total_seconds()
    later_s = (lasted - times["once_s"].sum()).clip(lower=0.0)  # clocks are changed at times
    found["round_s"] = later_s.groupby(level=WORKLOAD, sort=False).median()
    return found.fillna({"round_s": 0.0}).reset_index()
