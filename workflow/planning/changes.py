"""Which runs of a plan have to be measured, and why: for the user, before it starts."""

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

from planning.config import Problem
from supervise import variables

MISSING = "not measured yet"
UNDEPLOYED = "its environment could not be deployed"
LISTED = 8  # cells named per reason


def reasons(plan, root: Path) -> dict:
    """``{run: reason}`` for the runs that have to be measured.

    Raises :class:`Problem` for a file that is no record: it may be somebody's work.
    """
    return {run: reason for run in plan.runs if (reason := why(run, root))}


def in_blocks(plan, reasons: dict, root: Path) -> dict[str, list]:
    """``{done: runs}``: the runs of each block that have to be measured, second names with them."""
    again = {run.record: run.identity for run in plan.controls.again}
    missing = {run.record for run in reasons}
    missing |= {
        record for record, identity in again.items() if not _is_there(root / record, identity)
    }
    found = {
        block.done: [run for run in block.runs if run.record in missing] for block in plan.blocks
    }
    return {done: runs for done, runs in found.items() if runs}


def edited(plan, root: Path) -> set[str]:
    """Blocks of which a record is not what it was when the block was done: they say so anew."""
    return {block.done for block in plan.blocks if _is_edited(block, root)}


def _is_edited(block, root: Path) -> bool:
    try:
        done_ns = os.stat(os.path.join(root, block.done)).st_mtime_ns
        newer = [
            run.record
            for run in block.runs
            # else there is nothing to read
            if os.stat(os.path.join(root, run.record)).st_mtime_ns > done_ns
        ]
        lines = (root / block.done).read_text().splitlines() if newer else []
        return any(f"{_sha256(root / record)}  {record}" not in lines for record in newer)
    except OSError:
        return False  # what is missing is seen as such


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_there(path: Path, identity: str) -> bool:
    return path.exists() and not is_stale(path, identity)


def is_stale(path: Path, identity: str) -> bool:
    """Whether a part of the self-test is there and is to be made again."""
    try:
        found = json.loads(path.read_text())
        # What was not there at the last start may be at this one.
        undeployed = "not_deployed" in (found.get("not_tried") or {}) or found.get("refused")
        return bool(undeployed) or found["identity"] != identity
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError):
        return True  # nothing that could not be measured again in seconds


def summary(plan, reasons: dict, elsewhere: bool = False) -> str:
    """A line per reason; empty when every record is there and as planned.

    elsewhere: it is another machine's to measure them. For example
    ``sources changed: bert fit b8 keras3-jax, bert fit b8 keras3-torch``.
    """
    if not reasons:
        return ""
    cells_by_reason: dict[str, Counter] = {}
    for run, reason in reasons.items():
        cell = f"{run.row.model} {run.row.task} b{run.row.batch_size} {run.column.name}"
        cells_by_reason.setdefault(reason, Counter())[cell] += 1
    to_measure = f"{len(reasons)} of {len(plan.runs)} runs to measure at {plan.scale} scale"
    if elsewhere:
        to_measure += ", but not here: by results/elsewhere.json these are another machine's"
    lines = [f"millistep: {to_measure}"]
    lines += [f"  {reason}: {_names(cells)}" for reason, cells in cells_by_reason.items()]
    left_out = variables.left_out(os.environ, plan.config["environment"])
    if left_out:
        words = "not passed on to what is measured, unless the configuration's environment does"
        lines.append(f"  {words}: {', '.join(left_out)}")
    return "\n".join(lines)


def why(run, root: Path) -> str | None:
    """Why a run has to be measured; None if its record is as planned."""
    try:
        with open(os.path.join(root, run.record), "rb") as file:  # no Path: there are so many
            raw = file.read()
        if _is_as_planned(raw, run.identity):
            return None
        record = json.loads(raw)
        if record["identity"] == run.identity:
            return UNDEPLOYED if "not_deployed" in (record.get("not_tried") or {}) else None
        before = json.loads(record["identity"])
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(
            f"{run.record} is not a record ({type(error).__name__}: {error}); "
            "restore it, or remove it to measure the run again"
        ) from None
    now = json.loads(run.identity)
    keys = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    return ", ".join(_words(key, before.get(key), now.get(key)) for key in keys) or None


def _is_as_planned(raw: bytes, identity: str) -> bool:
    """Whether a record, whole and as it is written, has this identity; of any other file what is in
    it has to be read. There may be tens of thousands at every start.
    """
    line = f'\n "identity": {json.dumps(identity)},\n'.encode()
    return line in raw and raw.endswith(b"\n}\n") and b'"not_deployed"' not in raw


def _words(key: str, before, now) -> str:
    if isinstance(before, int | str) and isinstance(now, int | str) and len(f"{before}{now}") < 60:
        return f"{key} {before} -> {now}"
    return f"{key} changed"


def _names(cells: Counter) -> str:
    names = [f"{cell} x{count}" if count > 1 else cell for cell, count in cells.items()]
    more = f" and {len(names) - LISTED} more cells" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
