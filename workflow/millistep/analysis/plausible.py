"""Can a run be as fast as recorded? Compare its FLOP/s with the best matrix product measured.

The fastest timing window is judged: without a synchronization, the first windows of an asynchronous
device are far too fast, while the mean may be possible. A run above the allowed multiple of the
best product of its machine is invalid: a synchronization is missing, or the recorded precision or
FLOPs are wrong. Each of these errors changes the result by a factor.

Every reference file of these results counts, apart from those that ran next to other work: a slow
reference must not make correct runs invalid. Convolutions in float32 on a GPU may need four times
fewer multiplications than counted (Winograd).
"""

import pandas as pd

from millistep.analysis.words import flops, ms, percent

TOLERANCE = {"cpu": 0.30, "cuda": 0.10}  # matrix products are not the best a processor can do
WINOGRAD = 4.0
INVALID = "invalid"
WIDTHS = ("float32", "tf32", "bfloat16")  # as references name them, the most exact first
WIDTH_OF = {"float64": "float32", "float16": "bfloat16"} | {width: width for width in WIDTHS}
ENTRIES = ["parity.dtype", "parity.matmul_precision", "parity.convolution_precision"]


def judged(runs: pd.DataFrame, references: pd.DataFrame) -> pd.DataFrame:
    """Add best_flops_per_s, and set the status of impossible runs to invalid with a reason."""
    peaks = _peaks(runs, references)
    best = [
        _best(
            peaks.get((machine, accelerator), {}),
            [value for value in card if isinstance(value, str)],
        )
        for machine, accelerator, *card in runs[["machine.id", "accelerator", *ENTRIES]].itertuples(
            index=False
        )
    ]
    runs = runs.assign(best_flops_per_s=pd.Series(best, runs.index, dtype=float))
    implied = runs["work.flops_per_step"].astype(float) / runs["fastest_window_ms"] * 1000
    convolves = (runs["accelerator"] == "cuda") & (
        runs["parity.convolution_precision"] == "float32"
    )
    allowed = (1 + runs["accelerator"].map(TOLERANCE)) * convolves.map({True: WINOGRAD, False: 1.0})
    impossible = (runs["status"] == "ok") & (implied > allowed * runs["best_flops_per_s"])
    for place in runs.index[impossible]:
        work, best, window = runs.loc[
            place, ["work.flops_per_step", "best_flops_per_s", "fastest_window_ms"]
        ]
        reason = (
            f"its fastest window, {flops(work)} in {ms(window)} ms, is {flops(implied[place])}/s, "
            f"{percent(implied[place] / best - 1)} more than the best matrix product of this "
            f"machine ({flops(best)}/s): a synchronization is missing, or its precision or FLOPs "
            "are wrong"
        )
        runs.loc[place, ["status", "reason"]] = [INVALID, reason]
    return runs


def _peaks(runs: pd.DataFrame, references: pd.DataFrame) -> dict[tuple[str, str], dict[str, float]]:
    """Return the best product of each dtype by machine and accelerator.

    A reference belongs to the machine of the runs of its session. In results of a single machine
    every reference belongs to it.
    """
    known = runs.dropna(subset="machine.id")
    keys = ["session", "accelerator"]  # a machine has an id for each of its devices
    machines = known.drop_duplicates(keys).set_index(keys)["machine.id"].to_dict()
    found = references.dropna(subset=["dtype", "flops_per_s"])
    ids = known.groupby("accelerator")["machine.id"].unique()
    only = {accelerator: of[0] for accelerator, of in ids.items() if len(of) == 1}
    found["machine"] = [
        only.get(accelerator, machines.get((session, accelerator)))
        for session, accelerator in found[keys].itertuples(index=False)
    ]
    best = found.groupby(["machine", "accelerator", "dtype"])["flops_per_s"].max()
    peaks: dict[tuple[str, str], dict[str, float]] = {}
    for (machine, accelerator, dtype), value in best.items():
        peaks.setdefault((machine, accelerator), {})[dtype] = value
    return peaks


def _best(peaks: dict[str, float], card: list[str]) -> float | None:
    """Return the best product at least as exact as the least exact arithmetic of a run."""
    widths = [WIDTH_OF.get(entry) for entry in card]
    if not widths or None in widths:
        return None
    least = max(map(WIDTHS.index, widths))
    if WIDTHS[least] not in peaks:
        return None
    return max(peaks[width] for width in WIDTHS[: least + 1] if width in peaks)
