"""From how many parameters on is the GPU faster? One network in several sizes on both devices.

Between two sizes the logarithm of t(CPU) / t(GPU) is linear in that of the number of parameters.
The cross-over is the last crossing of 1. Its interval follows from the errors of the two sizes
around it (delta method).
"""

import numpy as np
import pandas as pd
from scipy import stats

from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.words import number

NAME = "cross_over"
TITLE = "CPU against GPU"
SWEEP = ["framework", "net", "task", "batch_size"]
CROSSES, ALWAYS, NEVER = "crosses", "GPU faster at every size", "GPU not faster at the largest size"
COLUMNS = [*SWEEP, "title", "sizes", "smallest", "largest", "outcome", "parameters", "low", "high"]


def sizes(data: Data) -> pd.DataFrame:
    """Return log(t(CPU) / t(GPU)) per framework, network and size, with its error and freedom."""
    parameters = data.runs[data.runs["used"]].groupby(CELL)["work.parameters"].first()
    cells = data.cells[data.cells["comparable"]].join(parameters.rename("parameters"), on=CELL)
    names = {"configuration": "cpu"}
    cpu = cells[cells["accelerator"] == "cpu"].rename(columns=names)
    gpu = cells.loc[cells["accelerator"] == "cuda", [*CELL, "framework"]]
    both = cpu.drop(columns=["rounds"]).merge(gpu, on=[*WORKLOAD, "framework"])
    rounds = data.round_ratios.rename(columns={"configuration": "cpu", "base": "configuration"})
    logs = rounds.groupby([*CELL, "cpu"])["log"].agg(log="mean", error="sem", rounds="count")
    models = data.plan["models"]
    found = both.join(logs, on=[*CELL, "cpu"]).dropna(subset=["log", "parameters"])
    nets = [models[model].get("variant_of") or model for model in found["model"]]
    titles = data.configurations.set_index("configuration")["title"]
    found = found.assign(net=nets, title=found["configuration"].map(titles))
    return found.sort_values([*SWEEP, "parameters"], kind="stable")


def table(data: Data) -> pd.DataFrame:
    """Return a line per framework, network, task and batch size with two sizes or more."""
    lines = []
    for key, of in sizes(data).groupby(SWEEP, sort=False):
        if len(of) < 2:
            continue
        ends = (of["title"].iloc[0], len(of), of["parameters"].min(), of["parameters"].max())
        lines.append((*key, *ends, *cross_over(of)))
    return pd.DataFrame(lines, columns=COLUMNS)


def cross_over(of: pd.DataFrame) -> tuple[str, float, float, float]:
    """Return the outcome, the cross-over and its 95 % interval, in parameters."""
    behind = np.flatnonzero(of["log"].to_numpy() <= 0)
    if not len(behind):
        return ALWAYS, np.nan, np.nan, np.nan
    if behind[-1] == len(of) - 1:
        return NEVER, np.nan, np.nan, np.nan
    below, above = of.iloc[behind[-1]], of.iloc[behind[-1] + 1]
    x, reach = np.log(below["parameters"]), np.log(above["parameters"] / below["parameters"])
    gap = above["log"] - below["log"]
    place = x - reach * below["log"] / gap
    # Derivatives of the place by the two logarithms.
    slopes = np.array([-above["log"], below["log"]]) * reach / gap**2
    errors = np.array([below["error"], above["error"]])
    freedom = np.array([below["rounds"], above["rounds"]]) - 1
    variances = (slopes * errors) ** 2
    if np.isnan(variances).any() or not variances.sum():
        return CROSSES, float(np.exp(place)), np.nan, np.nan
    half = np.sqrt(variances.sum()) * stats.t.ppf(
        0.975, variances.sum() ** 2 / (variances**2 / freedom).sum()
    )
    return CROSSES, *(float(np.exp(place + side * half)) for side in (0, -1, 1))


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'mnist_dense fit, batch 32, Keras 3 (JAX): the GPU is faster from
    1.2 million ... on.'
    """
    found = []
    for line in table.itertuples():
        name = f"{line.net} {line.task}, batch {line.batch_size}, {line.title}"
        if line.outcome != CROSSES:
            found.append(
                f"{name}: {line.outcome} ({_size(line.smallest)} to {_size(line.largest)})."
            )
            continue
        ends = f" [{_size(line.low)}, {_size(line.high)}]" if pd.notna(line.low) else ""
        found.append(
            f"{name}: the GPU is faster from {_size(line.parameters)}{ends} parameters on."
        )
    return found


def figure(data: Data, panels) -> None:
    """Draw t(CPU) / t(GPU) against the parameters, a panel per network, task and batch."""
    looks = data.configurations.set_index("configuration")[["color", "marker"]]
    for axes, (key, of) in zip(panels, sizes(data).groupby(SWEEP[1:], sort=False), strict=False):
        for name, line in of.groupby("configuration", sort=False):
            style = {"color": looks.loc[name, "color"], "marker": looks.loc[name, "marker"]}
            axes.plot(line["parameters"], np.exp(line["log"]), label=line["title"].iloc[0], **style)
        axes.axhline(1.0, linewidth=0.8)
        axes.set(title="{} {}, batch {}".format(*key), xscale="log", yscale="log")
        axes.set(xlabel="parameters", ylabel="t(CPU) / t(GPU)")


def _size(parameters: float) -> str:
    """Return '267 thousand', '3.62 million'."""
    if parameters >= 999_500:
        return f"{number(parameters / 1e6)} million"
    return f"{number(parameters / 1e3)} thousand"
