"""What was run, where and when, and how to run it again, as texts for pages and files."""

import json
from typing import Any

import pandas as pd

from millistep.analysis.frames import WORKLOAD, Data
from millistep.analysis.words import count, listed, some

LIBRARIES = ("tensorflow", "tensorflow-cpu", "keras", "tf-keras", "torch", "jax", "jaxlib")
# Keys of a plan that are keys of the configuration, too.
KEYS = ("scale", "accelerator", "weights", "seed", "runs", "precision")


def title(data: Data) -> str:
    """Return the title of the report: that of its study, or the models."""
    study, models = data.plan["study"], data.plan["models"].values()
    return f"Millistep: {study['title'] if study else listed(model['title'] for model in models)}"


def facts(data: Data) -> list[tuple[str, str]]:
    """Return terms and texts: scale, machine, software, period, protocol."""
    plan, runs = data.plan, data.runs[data.runs["ok"]]
    entries: list[tuple[str, Any]] = [
        ("Scale", f"{plan['scale']}. {plan['scale_reason']}"),
        ("Machine", machines(runs)),
        ("Software", software(data)),
        ("Measured", period(runs)),
        ("Protocol", protocol(data)),
        ("Weights", f"{plan['weights']}, seed {plan['seed']}"),
        ("Runs", outcomes(data.runs)),
    ]
    return [(term, text) for term, text in entries if text]


def machines(runs: pd.DataFrame) -> str:
    """Return the kinds of machines that the runs were measured on; '' without a run."""
    names = ["machine.cpu", "machine.cores", "machine.memory_mib", "machine.os"]
    names += ["machine.accelerator_name", "machine.accelerator_memory_mib"]
    found = runs.reindex(columns=names).dropna(subset="machine.cpu").drop_duplicates()
    texts = []
    for cpu, cores, memory, system, device, device_memory in found.itertuples(index=False):
        text = f"{cpu}, {count(int(cores), 'core')}, {memory / 1024:.0f} GiB, {system}"
        if isinstance(device, str):
            text += f", {device}"
            text += "" if pd.isna(device_memory) else f" ({device_memory / 1024:.0f} GiB)"
        texts.append(text)
    return some(texts) if texts else ""


def software(data: Data) -> str:
    """Return the versions of Python and of the libraries that compute."""
    found = data.packages[data.packages["package"].isin(LIBRARIES)]
    versions = found.groupby("package")["version"].unique()
    texts = [f"{name} {listed(versions[name])}" for name in LIBRARIES if name in versions]
    pythons = data.runs.reindex(columns=["environment.python"])["environment.python"].dropna()
    return ", ".join([*(f"Python {version}" for version in pythons.unique()), *texts])


def period(runs: pd.DataFrame) -> str:
    """Return the first and the last day of the runs (UTC)."""
    days = runs["started_at"].dropna().astype(str).str[:10]
    if days.empty:
        return ""
    first, last = days.min(), days.max()
    return f"{first} (UTC)" if first == last else f"{first} to {last} (UTC)"


def measured(data: Data) -> str:
    """Return 'Results at laptop scale, measured on AMD EPYC, ..., 2026-11-28 (UTC)'."""
    runs = data.runs[data.runs["ok"]]
    return f"Results at {data.plan['scale']} scale, measured on {machines(runs)}, {period(runs)}"


def where(data: Data, runs: pd.DataFrame) -> str:
    """Return scale, machines and days of runs: 'laptop scale, AMD EPYC, ..., 2026-11-28 (UTC)'."""
    texts = (f"{data.plan['scale']} scale", machines(runs), period(runs))
    return ", ".join(text for text in texts if text)


def rounds(data: Data) -> str:
    """Return '3 rounds', or '3 to 9 rounds' where workloads have different numbers."""
    measured = data.runs[data.runs["ok"]].groupby(WORKLOAD)["run"].nunique()
    if measured.nunique() < 2:
        return count(int(measured.max()) if len(measured) else data.plan["runs"], "round")
    return f"{measured.min()} to {measured.max()} rounds"


def protocol(data: Data) -> str:
    """Return rounds, windows and how the frameworks were timed."""
    runs = data.runs[data.runs["ok"]]
    if runs.empty:
        return ""
    windows, steps = int(runs["windows"].median()), int(runs["steps"].median())
    turns = runs["timing.in_turns"].fillna(1).max()
    how = f"{turns:.0f} processes in turns" if turns > 1 else "one process after another"
    found = f"{count(windows, 'timing window')}, {count(steps, 'step')} (medians)"
    return f"{rounds(data)}, in random order; {how}; per run {found}"


def outcomes(runs: pd.DataFrame) -> str:
    """Return how many runs ended how: '205 ok, 2 oom'."""
    return ", ".join(
        f"{number:,} {status}" for status, number in runs["status"].value_counts().items()
    )


def reproduce(data: Data) -> dict[str, Any]:
    """Return the settings of these results as in the configuration, whether conda installed the
    environments, and the command that renders the results.
    """
    plan = data.plan
    settings = "\n".join(f"{key}: {json.dumps(plan[key])}" for key in KEYS)
    conda = (data.runs["environment.method"] == "conda").any()
    render = (
        "make .venv-analysis\n"
        ".venv-analysis/bin/python workflow render"
        f" --plan {plan['results']}/plan.json --output-dir {plan['results']}"
    )
    return {"settings": settings, "conda": conda, "render": render}
