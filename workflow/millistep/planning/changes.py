"""The runs of a plan that have to be measured, and why: printed before they start.

Snakemake records the params of a record only in the folder where it made the record. The identity
in a record also holds in a clone and for copied results: this module compares it with the plan's.
"""

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from millistep.deploy.virtual_environments import read_json
from millistep.planning.plan import Plan
from millistep.planning.runs import Run
from millistep.supervise import record, variables
from millistep.supervise.record import SCHEMA, Unreadable

MISSING = "not measured yet"
REFUSED = "could not begin"
ASKED = "requested with -R, -F or -f"
# Of entries of an identity with other names in the configuration.
NAMES = {"environment": "locked environment", "variables": "key environment"}
NAMES |= {"measure": "measuring code"}
MOST_CHARACTERS = 60  # of two values together, for them to be spelled out
LISTED = 8  # cells listed per reason, and columns or folders


def reasons(plan: Plan, root: Path = Path()) -> dict[str, str | Unreadable]:
    """Return the reason by record, for all runs to be measured; an exception if a file in the
    record's place is no record.
    """
    found = ((path, why(run, root)) for path, run in plan.timed.items())
    return {path: reason for path, reason in found if reason}


def set_aside(path: str) -> str:
    """Rename a file that is no record; return its new path. Raises OSError."""
    names = (f"{path}.unreadable" + (f"-{number}" if number > 1 else "") for number in count(1))
    free = next(name for name in names if not os.path.lexists(name))
    os.rename(path, free)
    return free


def is_stale(path: Path, identity: str) -> bool:
    """Return True if a part of the self-test exists and has to be measured again."""
    found = read_json(path)
    # An environment that could not be installed at the last start may be available now.
    return path.exists() and (found.get("identity") != identity or bool(found.get("refused")))


def summary(plan: Plan, reasons: dict[str, str | Unreadable], elsewhere: Path | None = None) -> str:
    """Return the runs to be measured, a line for each reason; empty if every record is as planned.

    elsewhere: the file that came with results of another machine. A line is for example
    ``environment changed: bert fit b8 keras3-jax, bert fit b8 keras3-torch``.
    """
    found = {run: reasons[run.record] for run in plan.runs if run.record in reasons}
    if not found:
        return ""
    cells_by_reason: dict[str, list[str]] = {}
    for run, reason in found.items():
        cell = f"{run.row.model} {run.row.task} b{run.row.batch_size} {run.column.name}"
        words = "its record cannot be read" if isinstance(reason, Unreadable) else reason
        cells_by_reason.setdefault(words, []).append(cell)
    lines = [f"millistep: {len(found)} of {len(plan.runs)} runs to measure at {plan.scale} scale"]
    if elsewhere:
        lines[0] += f", but not here: {elsewhere} marks results of another machine"
    for words, cells in cells_by_reason.items():
        spelled = [f"{name} x{n}" if n > 1 else name for name, n in Counter(cells).items()]
        lines.append(f"  {words}: {_listed(spelled, 'cells')}")
    if not elsewhere:
        lines += [*_in_turns(plan, found), *_of_other_sessions(plan, found)]
    if left_out := variables.left_out(os.environ, plan.config.environment):
        names = ", ".join(left_out)
        lines.append(f"  not passed on to runs: {names}; to set them, use the key environment")
    return "\n".join(lines)


def _in_turns(plan: Plan, found: Collection[Run]) -> list[str]:
    """Return a line about processes and memory at once, and one if Snakemake limits them."""
    groups = {plan.group_of[run.record].name: plan.group_of[run.record] for run in found}.values()
    largest = max(groups, key=plan.group_gib)
    most = max(map(plan.resident, groups))
    processes = f"up to {most} processes at once" if most > 1 else "one process at a time"
    memory = f"about {plan.group_gib(largest):.1f} GiB of memory"
    return [f"  {line}" for line in (f"{processes}, {memory}", plan.lacks_room) if line]


def unreadable(reasons: dict[str, str | Unreadable]) -> Iterable[tuple[str, str]]:
    """Return path and reason of every file that is not a record but has a record's name."""
    return ((path, str(each)) for path, each in reasons.items() if isinstance(each, Unreadable))


def why(run: Run, root: Path) -> str | Unreadable | None:
    """Return the reason why a run has to be measured; None if its record is as planned."""
    try:
        raw = record.read_bytes(os.path.join(root, run.record))  # a Path is slow for so many
        if _is_as_planned(raw, run.identity):
            return None
        found = record.parse(raw)
    except FileNotFoundError:
        return MISSING
    except Unreadable as problem:
        return problem
    if found["identity"] != run.identity:
        return _changed(json.loads(found["identity"]), json.loads(run.identity)) or None
    if words := record.violation(found):
        return Unreadable(f"is no valid record ({words})")
    return REFUSED if record.could_not_begin(found) else None


def _changed(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Return the differences, such as 'threads 2 -> 4, sources changed'; empty without any."""
    keys = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
    return ", ".join(_change(key, before.get(key), now.get(key)) for key in keys)


def _change(key: str, before: object, now: object) -> str:
    name = NAMES.get(key, key)
    plain = isinstance(before, int | str) and isinstance(now, int | str)
    short = plain and len(f"{before}{now}") < MOST_CHARACTERS
    return f"{name} {before} -> {now}" if short else f"{name} changed"


def _is_as_planned(raw: bytes, identity: str) -> bool:
    """Return True if a file is a complete record of this identity, written as we do. Any other file
    has to be parsed, which is slow: there may be tens of thousands at every start.
    """
    lines = (
        f'\n "identity": {json.dumps(identity)},\n',
        f'\n "schema": {json.dumps(SCHEMA)},\n',
        '\n "timing": ',
    )
    begun = not any(word in raw for word in (b'"not_deployed"', b'"status": "refused"'))
    return begun and raw.endswith(b"\n}\n") and all(line.encode() in raw for line in lines)


def _of_other_sessions(plan: Plan, found: Collection[Run]) -> list[str]:
    """Warn that new runs are not compared with kept runs of their workload and round."""
    rounds = {(run.row, run.number) for run in found}
    kept = [run for run in plan.runs if run not in found and (run.row, run.number) in rounds]
    if not kept:
        return []
    columns = _listed(sorted({run.column.name for run in kept}), "columns")
    folders = _listed(sorted({str(Path(run.record).parents[1]) for run in kept}), "folders")
    return [
        f"  kept runs of {columns} belong to an earlier session and are not compared with the new"
        f" ones; delete {folders} to measure whole workloads again"
    ]


def _listed(names: list[str], noun: str) -> str:
    more = f" and {len(names) - LISTED} more {noun}" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
