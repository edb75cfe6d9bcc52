"""Read a plan and everything measured for it into frames. This module does all the reading.

A record that is missing, broken, invalid or outdated becomes a row of `runs` with a status and a
reason. Only a plan that cannot be read raises `InputError`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
from pydantic_core import from_json

from millistep.analysis.frames import CELL, RUN, Data
from millistep.analysis.parallel import each
from millistep.analysis.words import one_line
from millistep.contracts import base
from millistep.contracts.base import Contract
from millistep.contracts.plan import Plan
from millistep.contracts.record import Record
from millistep.contracts.results import Machine, SelfTest

MAX_BYTES = 64 * 2**20
LARGEST = 1e24  # above every measured number; sums and squares of smaller ones stay finite
CHUNK = 250  # records that a process reads at a time
HUGE = re.compile(rb"[\s:,\[]-?\d(\d{18}|[\d.]*[eE]\+?\d\d)")  # a number that may be huge
NOT_MEASURED, INVALID, OUTDATED = "not measured", "invalid record", "outdated"

# Lists of a record that become frames of their own: where they are, and the columns to keep.
LISTS = {
    "windows": ("timing.windows", ["start_ns", "elapsed_ns", "steps", "foreign_cpu_share"]),
    "operations": ("host_overhead.operations", ["name", "ms", "launched"]),
    "profile_pairs": ("host_overhead.pairs", ["plain_ms", "profiled_ms"]),
    "probes": ("probes", ["batch_size", "max_length", "new_tokens", "steps", "elapsed_ns"]),
    "calls": ("calls.functions", ["name", "per_step"]),
    "outcome": ("outcome.values", ["value"]),
}
COLUMNS = {name: columns for name, (_, columns) in LISTS.items()}
COLUMNS |= {"metadata": ["entry", "value"], "packages": ["package", "version"]}
JOINED = {"threads.affinity": " ", "monitor.gpu.throttle_reasons": ", ", "log_tail": "\n"}
MEDIANS = {"synchronized_ms": "timing.synchronized_ns"}


class InputError(Exception):
    """A file cannot be used; the message names the file and the problem in one line."""


def load(plan: Path) -> Data:
    """Read a plan and its records, references, machine descriptions and self-test into frames."""
    content = read(plan, Plan, plan.name)
    root = project_of(plan, content)
    frames = _records(root, content)
    return Data(
        content,
        frames,
        references=_references(root, content),
        machines=_machines(root, content),
        self_test=_optional(root, content["self_test"], SelfTest),
    )


def project_of(plan: Path, content: dict[str, Any]) -> Path:
    """Return the folder of the project of a plan, to which all its names are relative."""
    return plan.resolve().parents[len(Path(content["results"]).parts)]


def read(path: Path, contract: type[Contract] | None, shown: str) -> Any:
    """Return the content of a JSON file that matches its contract."""
    if not path.is_file():
        raise InputError(f"{shown}: no such file")
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{shown}: larger than {MAX_BYTES // 2**20} MiB")
    content = parse(path.read_bytes(), shown)
    if contract and (problem := violation(content, contract)):
        raise InputError(f"{shown}: {problem}")
    return content


def parse(raw: bytes, shown: str) -> Any:
    """Return parsed JSON. Numbers that overflow, NaN and lone surrogates are errors."""
    try:
        content = from_json(raw, allow_inf_nan=False)
        if HUGE.search(raw):
            json.loads(raw, parse_float=_bounded, parse_int=_bounded)
        return content
    except (ValueError, RecursionError) as error:
        raise InputError(f"{shown}: not valid JSON ({one_line(str(error), 100)})") from None


def _bounded(digits: str) -> float:
    value = float(digits) if set(digits) & set(".eE") else int(digits)
    if not abs(value) <= LARGEST:
        raise ValueError(f"{digits[:30]} is not a usable number")
    return value


def violation(content: Any, contract: type[Contract]) -> str:
    """Return where and how content violates its contract in one line; '' if it does not."""
    return one_line(base.violation(contract, content), 160)


def _inside(root: Path, name: str) -> Path:
    """Return the path of a file that a plan names; it must not leave the project."""
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise InputError(f"{one_line(name, 80)}: outside of the project's folder")
    return path


def _optional(root: Path, name: str, contract: type[Contract] | None) -> Any:
    """Return the content of a file; None if it is missing or broken."""
    try:
        return read(_inside(root, name), contract, name)
    except InputError:
        return None


def _records(root: Path, plan: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the frames of all planned runs, reading a chunk of records at a time."""
    planned = [
        {**{name: cell["column" if name == "configuration" else name] for name in CELL}, **run}
        for cell in plan["cells"]
        for run in cell["runs"]
    ]

    def read_chunk(start: int) -> dict[str, pd.DataFrame]:
        return _chunk(_results(root, planned[start : start + CHUNK]), start)

    chunks = each(read_chunk, range(0, len(planned), CHUNK)) or [_chunk([])]
    frames = {}
    for name in chunks[0]:
        parts = [chunk[name] for chunk in chunks]
        frames[name] = pd.concat([part for part in parts if len(part)] or parts[:1])
    return frames


def _results(root: Path, planned: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the record of each planned run, or a status and a reason in its place."""
    for run in planned:
        keys = {name: run[name] for name in RUN} | {
            "path": run["record"],
            "position": run["position"],
        }
        try:
            path = _inside(root, run["record"])
            if not path.exists():
                yield {"status": NOT_MEASURED, "reason": "no record yet"} | keys
                continue
            record = read(path, Record, "")
            if problem := _misplaced(record, run):
                raise InputError(problem)
        except InputError as error:
            yield {"status": INVALID, "reason": str(error).lstrip(": ")} | keys
            continue
        if record.pop("identity") != run["identity"]:
            record = {"status": OUTDATED, "reason": "the fingerprint has changed; start again"}
        yield record | keys


def _misplaced(record: dict[str, Any], run: dict[str, Any]) -> str:
    """Return what a contract cannot check: another run's record, or `ok` without a time."""
    cell = record.get("cell") if isinstance(record, dict) else None
    if not isinstance(cell, dict) or not {*RUN[:3], "column", "run"} <= {*cell}:
        return "not a record"
    names = {name: "column" if name == "configuration" else name for name in RUN}
    if any(cell[inside] != run[name] for name, inside in names.items()):
        return "cell: the record of another run"
    if record["status"] == "ok" and not (record["timing"] or {}).get("windows"):
        return "timing.windows: empty, but the status is ok"
    return ""


def _chunk(records: Iterable[dict[str, Any]], start: int = 0) -> dict[str, pd.DataFrame]:
    """Return the frames of some records, indexed by the number of the run, from `start` on.

    Scalars are in `runs`, each list in a frame of its own.
    """
    rows = []
    lists: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    places: dict[str, list[int]] = {name: [] for name in COLUMNS}
    for place, record in enumerate(records, start):
        row = record | {
            "log_tail": record.get("log_tail") or [],
            "warnings": len(record.get("warnings") or []),
        }
        entries = {name: _pop(row, of) or [] for name, (of, _) in LISTS.items()}
        entries["packages"] = list((_pop(row, "environment.packages") or {}).items())
        entries["metadata"] = [
            (name, value if isinstance(value, str) else json.dumps(value))
            for name, value in (record.get("parity") or {}).items()
            if value is not None
        ]
        for name, lines in entries.items():
            lists[name] += lines
            places[name] += [place] * len(lines)
        for name, of in MEDIANS.items():
            times = _pop(row, of)
            row[name] = median(times) / 1e6 if times else None
        for of, between in JOINED.items():
            row[of] = between.join(map(str, _pop(row, of) or [])) or None
        row["environment.variables"] = (
            json.dumps(variables) if (variables := _pop(row, "environment.variables")) else None
        )
        rows.append(_scalars(row))
    runs = pd.DataFrame(rows, range(start, start + len(rows))).dropna(axis=1, how="all")
    found = {"runs": runs.reindex(columns=list(dict.fromkeys([*RUN, *runs])))}
    for name, columns in COLUMNS.items():
        lines = pd.DataFrame(lists[name], pd.Index(places[name], dtype=int), columns)
        found[name] = lines.rename(columns={"batch_size": "probe_batch_size"})
    return found


def _scalars(content: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the scalars of nested objects by their dotted names; lists are left out."""
    found: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, dict):
            found |= _scalars(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            found[prefix + name] = value
    return found


def _pop(row: dict[str, Any], place: str) -> Any:
    """Remove a nested value and return it; the record that the row was copied from stays whole."""
    *parents, last = place.split(".")
    for name in parents:
        if not isinstance(row.get(name), dict):
            return None
        row[name] = dict(row[name])
        row = row[name]
    return row.pop(last, None)


def _references(root: Path, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a line per matrix product of each reference file."""
    lines = []
    for planned in plan.get("references", []):
        found = _optional(root, planned["path"], None)
        if not isinstance(found, dict) or not isinstance(found.get("cell"), dict):
            continue
        line = {
            "accelerator": found["cell"].get("accelerator"),
            "session": (found.get("session") or {}).get("id"),
            "foreign_cpu_share": found.get("foreign_cpu_share"),
        }
        lines += [line | product for product in found.get("matmul") or []]
    return lines


def _machines(root: Path, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a line per fact of each machine description."""
    folder = _inside(root, plan["results"]) / "machines"
    lines = []
    for path in sorted(folder.glob("*.json")):
        try:
            card = read(path, Machine, path.name)
        except InputError:
            continue
        lines += [
            {"machine": path.stem, "section": section["title"], **fact}
            for section in card["sections"]
            for fact in section["facts"]
        ]
    return lines
