"""Do base and patch do the same work? From the losses or outputs of a regression check."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis.frames import CELL, RUN, WORKLOAD, Data
from millistep.analysis.words import number

# Largest difference by rounding, relative to the largest number, by dtype: outputs, losses. Losses
# average over a batch. tests/cheats has differences of honest and of other programs.
ROUNDING = {"float64": (1e-8, 1e-9), "float32": (1e-4, 2e-5)}
LOW_PRECISION = (3e-2, 5e-2)
NULLS = 3  # times the difference of the base to itself is no difference of the patch
# A complete call has costs besides its steps. If the patch has more of them than the base, by this
# share of a step of the base, it hides work from the clock.
HIDDEN = 0.3
NOT_COMPARED, SAME = "not compared", "same"


def problems(data: Data, found: pd.DataFrame) -> list[str]:
    """Return for each line of an answer SAME, NOT_COMPARED, or what is different.

    found: lines WORKLOAD with base, null and new, names of configurations.
    """
    sides, runs = _sides(data), data.runs
    first = runs[runs["ok"] & (runs["run"] == 1)]  # the run that compares
    ended = {*first[CELL].itertuples(index=False, name=None)}
    return [
        problem(*(sides.get((*line[:-3], name)) for name in line[-3:]))
        if (*line[:-3], line[-1]) in ended
        else NOT_COMPARED
        for line in found[[*WORKLOAD, "base", "null", "new"]].itertuples(index=False, name=None)
    ]


def _sides(data: Data) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return kind, dtype, values, call_ms and step_ms of each CELL that has an outcome."""
    names = {f"outcome.{name}": name for name in ("kind", "call_ms", "step_ms")}
    names["parity.dtype"] = "dtype"
    runs = (
        data.runs[data.runs["ok"]]
        .reindex(columns=[*RUN, *names])
        .rename(columns=names)
        .dropna(subset=["kind"])
    )
    values = data.outcomes.groupby(RUN)["value"].agg(list)
    runs = runs.set_index(RUN).join(values.rename("values")).reset_index()
    return {tuple(run[name] for name in CELL): run for run in runs.to_dict("records")}


def problem(
    base: dict[str, Any] | None, null: dict[str, Any] | None, new: dict[str, Any] | None
) -> str:
    """Return SAME, NOT_COMPARED, or what is different, given kind, dtype, values, call_ms and
    step_ms of each side.
    """
    if base is None or null is None:
        return NOT_COMPARED
    if new is None:
        return "nothing to compare: the base has losses or outputs, the patch has none"
    dtype, kind = str(base["dtype"]), base["kind"]
    if kind == "tokens" and dtype not in ROUNDING:
        return NOT_COMPARED  # rounding may change the likeliest token
    rounding = ROUNDING.get(dtype, LOW_PRECISION)[kind == "losses"] if kind != "tokens" else 0.0
    most = max(rounding, NULLS * difference(base["values"], null["values"]))
    if np.isinf(most):
        return NOT_COMPARED  # the base differs from itself in its number
    if (differs := difference(base["values"], new["values"])) > most:
        words = "in their number" if np.isinf(differs) else f"by up to {_share(differs)}"
        return f"other {kind}: they differ {words}; rounding: {_share(most)}"
    if any(pd.isna(side["call_ms"]) for side in (base, null, new)):
        return SAME  # a custom loop
    usual, hidden = max(0.0, *map(_hidden_ms, (base, null))), _hidden_ms(new)
    if hidden - usual > HIDDEN * base["step_ms"]:
        times = (number(part, 3) for part in (hidden, usual))
        return "hidden work: a complete call takes {} ms per step more; base: {} ms".format(*times)
    return SAME


def _hidden_ms(side: dict[str, Any]) -> float:
    hidden: float = side["call_ms"] - side["step_ms"]
    return hidden


def _share(value: float) -> str:
    return f"{100 * value:.2g}\u00a0%"


def difference(base: Sequence[float | None], new: Sequence[float | None]) -> float:
    """Return the largest difference, relative to the largest finite number of the base; infinite
    if sizes or the places of numbers that are not finite differ.
    """
    if len(base) != len(new):
        return np.inf
    one, other = (np.array(side, dtype=float) for side in (base, new))
    if (np.isnan(one) != np.isnan(other)).any():
        return np.inf
    if np.isnan(one).all():
        return 0.0
    return float(np.nanmax(np.abs(one - other)) / max(np.nanmax(np.abs(one)), 1e-12))
