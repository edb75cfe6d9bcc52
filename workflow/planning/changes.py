"""Which runs of a plan have to be measured, and why: for the user, before it starts."""

import json
from pathlib import Path

LISTED = 8  # cells named per reason


def summary(plan, root: Path) -> str:
    """A line per reason; empty when every record is there and as planned.

    For example ``sources changed: bert fit b8 keras3-jax, bert fit b8 keras3-torch``.
    """
    cells_by_reason: dict[str, dict[str, int]] = {}
    for run in plan.runs:
        reason = why(run, root)
        if reason:
            cell = f"{run.row.model} {run.row.task} b{run.row.batch_size} {run.framework}"
            cells = cells_by_reason.setdefault(reason, {})
            cells[cell] = cells.get(cell, 0) + 1
    total = sum(sum(cells.values()) for cells in cells_by_reason.values())
    if not total:
        return ""
    lines = [f"millistep: {total} of {len(plan.runs)} runs to measure at scale {plan.scale}"]
    lines += [f"  {reason}: {_names(cells)}" for reason, cells in cells_by_reason.items()]
    return "\n".join(lines)


def why(run, root: Path) -> str | None:
    """Why a run has to be measured; None if its record is as planned."""
    try:
        record = json.loads((root / run.record).read_text())
        before = json.loads(record["identity"])
    except FileNotFoundError:
        return "not measured yet"
    except (OSError, ValueError, KeyError, TypeError):
        return "its record cannot be read"
    now = json.loads(run.identity)
    keys = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    return ", ".join(_words(key, before.get(key), now.get(key)) for key in keys) or None


def _words(key: str, before, now) -> str:
    if isinstance(before, int | str) and isinstance(now, int | str) and len(f"{before}{now}") < 60:
        return f"{key} {before} -> {now}"
    return f"{key} changed"


def _names(cells: dict[str, int]) -> str:
    names = [f"{cell} x{count}" if count > 1 else cell for cell, count in cells.items()]
    more = f" and {len(names) - LISTED} more cells" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
