"""The published table: its numbers in the shape of our cells, and both next to each other."""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from millistep.analysis.frames import WORKLOAD, Data
from millistep.analysis.words import count, listed

REFERENCE = Path(__file__).resolve().parents[1] / "reference"
PAPER = "paper"
COLUMNS = [*WORKLOAD, "workload", "framework", "published_ms", "ms", "low", "high", "revision"]


@cache
def sources() -> dict[str, Any]:
    """Return the labels and conditions of the published numbers."""
    found: dict[str, Any] = yaml.safe_load((REFERENCE / "sources.yaml").read_text("utf-8"))
    return found


@cache
def published() -> pd.DataFrame:
    """Return a line per published cell; `ms` is missing where the page prints NA."""
    found = pd.read_csv(REFERENCE / sources()["table"], dtype={"revision": str})
    families = {name: entry["family"] for name, entry in sources()["frameworks"].items()}
    found = found.rename(columns={"ms_per_step": "ms"})
    return found.assign(configuration=found["framework"], family=found["framework"].map(families))


def table(data: Data) -> pd.DataFrame:
    """Return the published numbers with ours of the same workload, at paper scale only.

    Each family is compared with the revision that `compared` names; ours is the framework on the
    page's software stack if it was measured, else its first configuration.
    """
    if data.plan["scale"] != PAPER:
        return pd.DataFrame(columns=COLUMNS)
    compared = sources()["compared"]
    theirs = published()
    theirs = theirs[theirs["revision"] == theirs["family"].map(compared)]
    theirs = theirs.rename(columns={"ms": "published_ms"})[
        [*WORKLOAD, "framework", "published_ms", "revision"]
    ]
    on_stack = data.cells["stack"] == sources()["conditions"]["stack"]
    ours = data.cells.assign(other=~on_stack).sort_values("other", kind="stable")
    ours = ours.drop_duplicates([*WORKLOAD, "framework"])
    return ours.merge(theirs, on=[*WORKLOAD, "framework"]).sort_index()[COLUMNS]


def conditions(data: Data, used: pd.DataFrame) -> list[str]:
    """Return in which conditions these runs differ from the published benchmark."""
    page = sources()["conditions"]
    found = [
        f"{name} {'are' if name == 'weights' else 'is'} {data.plan[name]} instead of {page[name]}"
        for name in ("scale", "weights", "precision")
        if data.plan[name] != page[name]
    ]
    names = used.reindex(columns=["machine.accelerator_name", "machine.cpu"])
    gpu = names["machine.accelerator_name"]
    devices = gpu.where(gpu.notna(), names["machine.cpu"]).dropna().unique()
    if len(devices) and not any("A100" in str(device) for device in devices):
        found.append(f"hardware is {listed(devices)} instead of {sources()['hardware_short']}")
    stacks = sorted(set(used["stack"]) - {page["stack"]})
    found += [f"libraries are of {listed(stacks)} instead of {page['stack']}"] if stacks else []
    known = published()[WORKLOAD].drop_duplicates()
    other = data.workloads.merge(known, on=WORKLOAD, how="left", indicator=True)
    other = other[(other["_merge"] == "left_only") & other["model"].isin(known["model"])]
    found += [f"batch sizes differ in {count(len(other), 'workload')}"] if len(other) else []
    return found
