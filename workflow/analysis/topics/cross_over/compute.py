"""Cross-over: from how many parameters on the GPU is faster, of one net in several sizes, each
measured on the processor and on the GPU.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pandas as pd

from analysis.comparisons.pairs import pairs
from analysis.data import Data
from analysis.results.cells import Cell, cell_ratio
from analysis.results.plan import Model
from analysis.statistics.cross_over import ABOVE, BELOW
from analysis.statistics.cross_over import cross_over as crossing_of

MIN_SIZES = 2  # fewer have nothing between them
SWEEP = ["base", "new", "net", "task", "batch_size"]
COLUMNS = [*SWEEP, "label", "title", "sizes", "smallest", "largest", "outcome", "parameters"]
COLUMNS += ["ci95_low", "ci95_high", "times_crossed", "missing"]
OUTSIDE = {BELOW: "faster at every size", ABOVE: "not faster at the largest size"}
END = {BELOW: "below", ABOVE: "above"}  # the measured sizes


def cross_over(data: Data) -> pd.DataFrame:
    """Return a line per framework, net, task and batch size that is planned in several sizes on
    both devices; sizes are in whole parameters, and an end of the interval may be 'below' or
    'above' all of them.
    """
    found = pd.DataFrame([sweep for sweep, _ in sweeps(data)], columns=COLUMNS, dtype=object)
    sizes = found[["parameters", "ci95_low", "ci95_high"]]
    whole = sizes.map(lambda size: END.get(size) or round(size), na_action="ignore")
    return found.assign(**whole).drop(columns=["label", "title"])


def on_both_devices(data: Data) -> pd.DataFrame:
    """Return the pairs of cells that differ in the device alone; the base is on the processor."""
    found = pairs(data)
    return found[found["setting"] == "accelerator"]


def sizes(data: Data) -> pd.DataFrame:
    """Return the pairs of nets that are planned in two sizes or more, with `net` and `parameters`,
    which are missing where neither device measured that size.
    """
    found, models = on_both_devices(data), data.results.plan.models
    found = found.assign(
        net=[models[name].variant_of or name for name in found["model"]],
        parameters=list(map(_parameters, found["base_cell"], found["new_cell"])),
    ).astype({"parameters": float})
    return found[found.groupby(SWEEP)["model"].transform("size") >= MIN_SIZES]


@lru_cache(maxsize=2)
def sweeps(data: Data) -> list[tuple[pd.Series, pd.DataFrame]]:
    """Return a net, task and batch size in a pair of columns, and its measured sizes, ascending.

    `smallest` and `largest` are those of the sizes that both devices measured, `outcome` says what
    they show. From `parameters` on the GPU is faster, missing where it crosses nowhere between
    them; the ends of its interval may be BELOW or ABOVE them all. All are missing without two
    sizes, the interval without two runs of each.
    """
    found = []
    for key, planned in sizes(data).groupby(SWEEP, sort=False):
        sweep = dict(zip(SWEEP, key, strict=True))
        measured = planned.dropna(subset="parameters").sort_values("parameters", kind="stable")
        sweep["net"] = _title(data.results.plan.models, sweep["net"])
        sweep["label"] = f"{sweep['net']} {sweep['task']}, batch {sweep['batch_size']}"
        sweep["title"] = planned["new_title"].iloc[0]
        found.append((pd.Series(sweep | _found(measured), COLUMNS, dtype=object), measured))
    return found


def _found(measured: pd.DataFrame) -> dict[str, Any]:
    compared = measured.dropna(subset="speedup")
    reasons = [part for reason in measured["missing"].dropna() for part in reason.split("; ")]
    found = {"sizes": len(compared), "missing": "; ".join(dict.fromkeys(reasons)) or None}
    if len(compared) < MIN_SIZES:
        return found
    crossing = crossing_of(
        [(s.parameters, cell_ratio(s.base_cell, s.new_cell)) for s in compared.itertuples()]
    )
    if crossing.interval:
        found |= {"ci95_low": crossing.interval.low, "ci95_high": crossing.interval.high}
    smallest, *_, largest = map(int, compared["parameters"])
    found |= {"smallest": smallest, "largest": largest, "times_crossed": crossing.times}
    if where := OUTSIDE.get(crossing.size):
        return found | {"outcome": f"none in the range: the GPU is {where}"}
    return found | {"outcome": "crosses", "parameters": crossing.size}


def _parameters(*cells: Cell) -> int | None:
    works = (record.work for cell in cells for record in cell.records if record.work)
    return next((work.parameters for work in works), None)


def _title(models: Mapping[str, Model], net: str) -> str:
    """Return the title of a net, which need not be a row itself."""
    if net in models:
        return models[net].title
    variant = next(model for model in models.values() if model.variant_of == net)
    return variant.title.rpartition(" ")[0]


def shown(sweep: pd.Series) -> bool:
    """Return whether the interval shows that it crosses between the smallest and largest size."""
    return sweep.ci95_low > BELOW and sweep.ci95_high < ABOVE


def words(sweep: pd.Series) -> str:
    """Say 'GPU ahead from 1.2 million parameters [0.9 million, 1.6 million]', or why not."""
    if pd.isna(sweep.outcome):
        return f"no cross-over: {sweep.missing or 'fewer than two sizes were measured'}"
    smallest, largest = amount(sweep.smallest), amount(sweep.largest)
    outside = {BELOW: f"below {smallest}", ABOVE: f"above {largest}"}
    text = f"GPU ahead from {amount(sweep.parameters)} parameters"
    if pd.isna(sweep.parameters):
        text = f"{sweep.outcome} ({smallest} to {largest} parameters)"
        if sweep.ci95_low == sweep.ci95_high:
            return text
        text = f"{text}, by the means"
    if pd.isna(sweep.ci95_low):
        return text
    ends = [outside.get(end) or amount(end) for end in (sweep.ci95_low, sweep.ci95_high)]
    return f"{text} [{', '.join(ends)}]"


def amount(parameters: float) -> str:
    """A number of parameters to three digits: '61 thousand', '1.23 million'."""
    size, word = (1e6, "million") if parameters >= 999_500 else (1e3, "thousand")
    return f"{float(f'{parameters / size:.3g}'):,.10g} {word}"
