"""One line per run on the terminal: how far, what, how long still."""

import json
import statistics
from pathlib import Path


def line(plan_path: Path, identity_text: str, root: Path = Path()) -> str:
    """For example ``[5/12] bert fit, batch 8, keras3-jax, run 1; about 3 min left``."""
    identity = json.loads(identity_text)
    row = f"{identity['model']} {identity['task']}, batch {identity['batch_size']}"
    what = f"{row}, {identity['column']}, run {identity['run']}"
    if identity.get("again"):
        return f"{what}, once more for the self-test"
    try:
        plan = json.loads(plan_path.read_text())
        runs = [run for planned in plan["cells"] for run in planned["runs"]]
    except (OSError, ValueError, KeyError, TypeError):
        return what  # a single record was asked for, without a plan
    if identity_text not in {run["identity"] for run in runs}:
        return what  # ... or with an older one
    seconds = [s for run in runs if (s := _seconds(root, run)) is not None]
    left = len(runs) - len(seconds)
    return f"[{len(seconds) + 1}/{len(runs)}] {what}; {_left(seconds, left)}"


def _seconds(root: Path, run: dict) -> float | None:
    """Duration of a run that is done as planned; None if it still has to be."""
    try:
        record = json.loads((root / run["record"]).read_text())
        return float(record["total_s"]) if record["identity"] == run["identity"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _left(seconds: list[float], left: int) -> str:
    if not seconds:
        return "time left unknown until the first run is done"
    estimate_s = statistics.fmean(seconds) * left
    if estimate_s < 90:
        return f"about {estimate_s:.0f} s left"
    if estimate_s < 5400:
        return f"about {estimate_s / 60:.0f} min left"
    return f"about {estimate_s / 3600:.1f} h left"
