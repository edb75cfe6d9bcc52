"""Frames for the conditions of caveats.yaml; each function returns one, with names to print."""

from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis import stats
from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.topics import batch_sizes as fixed
from millistep.analysis.topics import padding as static
from millistep.analysis.topics import why
from millistep.analysis.words import listed

# Entries of the metadata that are one setting to a reader.
MERGED = {
    "compiler": "execution",
    "dtype": "precision",
    "matmul_precision": "precision",
    "convolution_precision": "precision",
    "attention_kernel": "attention",
}
# Entries that differ between frameworks by definition, or have frames of their own.
BY_DEFINITION = [
    *("framework_version", "backend", "model_library", "declared", "device", "threads", "metrics"),
    *("jit_compile", "jit_compile_auto", "cuda_version", "cudnn_version", "fed_bytes_per_step"),
    *("compile_mode", "graphs", "graph_breaks", "compiled_by", "blas", "prompt_positions"),
]
HALF = ("bfloat16", "float16")
HARNESS_ERROR = 0.01


def runs(data: Data) -> pd.DataFrame:
    """Return the runs that enter a mean."""
    return data.runs[data.runs["used"]]


def ok_runs(data: Data) -> pd.DataFrame:
    """Return the successful runs, those that are left out of the means included."""
    return data.runs[data.runs["ok"]]


def runs_without_a_time(data: Data) -> pd.DataFrame:
    """Return the planned runs that are not successful."""
    return data.runs[~data.runs["ok"]]


def cells(data: Data) -> pd.DataFrame:
    """Return all planned cells."""
    return data.cells


def means(data: Data) -> pd.DataFrame:
    """Return the cells with a ratio, and how far it is from the quotient of means in the table."""
    named = {"configuration": "fastest", "title": "fastest_title", "ms": "fastest_ms"}
    fastest = data.cells[[*CELL, "title", "ms"]].rename(columns=named)
    others = data.cells[data.cells["configuration"] != data.cells["fastest"]]
    found = others.merge(fastest, on=[*WORKLOAD, "fastest"])
    quotient = found["ms"] / found["fastest_ms"]
    return found.assign(
        quotient=quotient,
        apart=np.log(quotient / found["ratio"]).abs(),
        outside=(quotient < found["ratio_low"]) | (quotient > found["ratio_high"]),
    )


def plan(data: Data) -> pd.DataFrame:
    """Return one line with the settings of the whole run."""
    found = {name: data.plan[name] for name in ("scale", "weights", "accelerator")}
    full_sizes = [model.get("full_size", False) for model in data.plan["models"].values()]
    found["reduced"] = data.plan["scale"] != "paper" and not all(full_sizes)
    if data.runs["accelerator"].nunique() > 1:  # of configurations with one of their own
        found["accelerator"] = "several"
    return pd.DataFrame([found])


def representatives(data: Data) -> pd.DataFrame:
    """Return the configurations that are compared as frameworks.

    Left out are those that differ on purpose: variants of a framework by a setting, and a framework
    that is registered to be compared with another one of its family (compiled with eager).
    """
    against = {entry["name"]: entry["against"] for entry in data.plan["columns"]}
    found = data.configurations.drop_duplicates("framework")
    family = dict(zip(found["framework"], found["family"], strict=True))
    variant = [
        any(family.get(base) == line.family for base in against[line.configuration])
        for line in found.itertuples()
    ]
    return found[~pd.Series(variant, found.index)]


def differing(data: Data) -> pd.DataFrame:
    """Return a line per workload and entry of the metadata in which frameworks differ on their own.

    `values` names the configurations of each value, also those that differ on purpose.
    """
    entries = data.metadata[~data.metadata["entry"].isin(BY_DEFINITION)]
    frameworks = data.configurations.drop_duplicates("framework")[["configuration", "title"]]
    entries = entries.merge(frameworks, on="configuration")
    entries = entries.drop_duplicates([*CELL, "entry", "value"]).assign(
        entry=lambda of: of["entry"].replace(MERGED), value=lambda of: of["value"].astype(str)
    )
    keys = [*CELL, "title", "entry"]
    values = entries.groupby(keys, sort=False)["value"].agg(_merged).rename("value").reset_index()
    values = values[values["value"] != "none seen"]
    alone = values["configuration"].isin(representatives(data)["configuration"])
    own = values.assign(value=values["value"].where(alone))
    several = own.groupby([*WORKLOAD, "entry"])["value"].transform("nunique") > 1
    sides: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    columns = [*WORKLOAD, "entry", "value", "title"]
    for *key, value, title in values.loc[several, columns].itertuples(index=False, name=None):
        sides.setdefault(tuple(key), {}).setdefault(value, []).append(title)
    lines = [(*key, _values(titles)) for key, titles in sides.items()]
    found = pd.DataFrame(lines, columns=[*WORKLOAD, "entry", "values"])
    return found.merge(data.workloads[[*WORKLOAD, "workload"]], on=WORKLOAD)


def _merged(values: pd.Series) -> str:
    """Return 'jit, xla'; of half-precision weights the precision of float32 products is moot."""
    texts = [text for text in dict.fromkeys(values) if text != "none"]
    half = [text for text in texts if text in HALF]
    return half[0] if half else ", ".join(sorted(texts)) or "none"


def _values(titles: dict[str, list[str]]) -> str:
    """Return 'eager in Keras 3 (PyTorch); jit, xla in Keras 3 (JAX)'."""
    return "; ".join(f"{value} in {listed(titles[value])}" for value in sorted(titles))


def products(data: Data) -> pd.DataFrame:
    """Return the products of each profiled cell on a CPU and of the fastest one of its workload,
    with the libraries that compute them (`blas`, `fastest_blas`).
    """
    ran = runs(data).drop_duplicates(CELL).set_index(CELL)
    ran = ran.reindex(columns=["parity.blas", "machine.cpu"]).set_axis(["blas", "cpu"], axis=1)
    found = why.table(data).query("part == @why.PRODUCTS").join(ran, on=CELL).dropna(subset="blas")
    return found.join(ran["blas"].rename("fastest_blas"), on=[*WORKLOAD, "fastest"])


def parameters(data: Data) -> pd.DataFrame:
    """Return the range of the number of (trained) parameters per workload."""
    found = runs(data).rename(
        columns={
            "work.parameters": "parameters",
            "work.trainable_parameters": "trainable parameters",
        }
    )
    found.loc[found["task"] != "fit", "trainable parameters"] = None
    long = found.melt(
        [*WORKLOAD, "workload"], ["parameters", "trainable parameters"], "entry", "number"
    )
    groups = long.dropna(subset="number").astype({"number": int})
    groups = groups.groupby([*WORKLOAD, "workload", "entry"], sort=False)["number"]
    ends = groups.agg(fewest="min", most="max").reset_index()
    return ends.assign(excess=ends["most"] / ends["fewest"].clip(lower=1) - 1)


def throttling(data: Data) -> pd.DataFrame:
    """Return the successful runs with the reasons for which clocks were limited."""
    found = runs(data)
    gpu = found.get("monitor.gpu.throttle_reasons", pd.Series("", found.index)).fillna("")
    events = found.get("monitor.throttled", pd.Series(0, found.index)).astype(float)
    reasons = gpu.where(gpu != "", np.where(events > 0, "heat of the processor", ""))
    return found.assign(reasons=reasons, throttled=reasons != "")


def harness(data: Data) -> pd.DataFrame:
    """Return the runs with the share of a step that counting it takes."""
    found = runs(data)
    own = found.reindex(columns=["timing.harness_ns"])["timing.harness_ns"].astype(float)
    return found.assign(share=own / 1e6 / found["ms_per_step"])


def quota(data: Data) -> pd.DataFrame:
    """Return the runs with the share of periods in which a quota of CPU time stopped them."""
    found = runs(data)
    counts = found.reindex(columns=["load.quota_throttled_periods", "load.quota_periods"])
    stopped, periods = (counts[name].astype(float) for name in counts)
    return found.assign(share=(stopped / periods.clip(lower=1)).fillna(0.0))


def machines(data: Data) -> pd.DataFrame:
    """Return the number of machines that measured each workload."""
    keys = [*WORKLOAD, "workload"]  # a machine has an id for each of its devices
    found = runs(data).groupby([*keys, "accelerator"], sort=False)["machine.id"].nunique()
    return found.groupby(level=keys, sort=False).max().rename("machines").reset_index()


def threads(data: Data) -> pd.DataFrame:
    """Return the numbers of threads per workload, of configurations that leave them alone."""
    found = runs(data).merge(representatives(data)[["configuration"]], on="configuration")
    groups = found.groupby([*WORKLOAD, "workload"], sort=False)["threads.requested"]
    return groups.agg(
        kinds="nunique", values=lambda of: listed(sorted(map(int, set(of))))
    ).reset_index()


def environments(data: Data) -> pd.DataFrame:
    """Return the runs; `custom` if an environment is not installed like the others."""
    found = runs(data)
    method = found["environment.method"]
    usual = next(iter(method.mode()), None)
    variables = found.reindex(columns=["environment.variables"]).notna().any(axis=1)
    what = pd.Series("", found.index)
    what = what.mask(variables, "Environment variables are set")
    what = what.mask(method != usual, "Environments were installed in different ways")
    what = what.mask(method == "interpreter", "An interpreter of the user was measured")
    return found.assign(what=what, custom=what != "")


def padding(data: Data) -> pd.DataFrame:
    """Return the padded cells with whether padding is the reason for a slow one."""
    found = static.table(data)
    return found.assign(because=found["verdict"].map(static.BECAUSE))


def batch_sizes(data: Data) -> pd.DataFrame:
    """Return the comparable cells with the fixed share of a step."""
    return fixed.table(data).merge(data.cells.loc[data.cells["comparable"], CELL], on=CELL)


def idle(data: Data) -> pd.DataFrame:
    """Return the comparable profiled cells with their idle share."""
    comparable = data.cells.loc[data.cells["comparable"], [*CELL, "workload", "title"]]
    return why.idle_shares(data).merge(comparable, on=CELL)


def resolution(data: Data) -> pd.DataFrame:
    """Return one line with the resolution that the first page states."""
    return pd.DataFrame({"half_width": [stats.resolution(data.cells)]})


def self_test(data: Data) -> pd.DataFrame:
    """Return a line per part of the self-test; `failed` if it shows an error."""
    test = data.self_test
    if not test:
        return pd.DataFrame(columns=["what", "failed"])
    lines: list[tuple[str, bool]] = []
    if test["status"] != "ok":
        lines.append((f"The self-test ended as {test['status']}: {test['reason']}", True))
    for step in test.get("known_steps") or ():
        error = step["measured_ms"] / step["nominal_ms"] - 1
        text = f"A step of {step['nominal_ms']:g} ms was measured as {step['measured_ms']:.4g} ms"
        lines.append((text, abs(error) > HARNESS_ERROR))
    if same := test.get("same_cell"):
        lines.append(_same_cell(same))
    return pd.DataFrame(lines, columns=["what", "failed"])


def _same_cell(same: dict[str, Any]) -> tuple[str, bool]:
    """Return whether one cell under two names differs from itself; chance does so in 1 of 100."""
    sides = (pd.Series(same[side], dtype=float) for side in ("a_ms", "b_ms"))
    return "One cell measured under two names differs from itself", stats.paired(*sides).p < 0.01
