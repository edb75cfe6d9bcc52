"""The record of a run: empty at first, written complete or not at all, and read with suspicion."""

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from millistep.supervise import ending, machine, processors
from millistep.supervise.device import NoSuchDevice, chosen

SCHEMA = "millistep.record/1"
RESERVE_BYTES = 1024 * 1024  # more than any record needs
CELL_FIELDS = ("scale", "accelerator", "model", "task", "batch_size", "column", "framework", "run")
ENVIRONMENT = ("name", "method", "definition_sha256", "python", "packages")
LOAD = (
    *("before", "after", "foreign_cpu_share", "system_cpu_share", "page_faults_per_step"),
    *("quota_periods", "quota_throttled_periods", "swapped_mib"),
)
MEMORY = (
    *("peak_rss_mib", "peak_device_mib", "peak_device_counts", "device_limit_mib"),
    "allocated_bytes_per_step",
)
# Null until they are known.
PARTS = (
    *("ending", "not_tried", "session", "monitor", "timing", "work", "energy", "host_overhead"),
    *("calls", "outcome", "parity"),
)
THREAD_POLICY = (
    "one thread per processor, of each physical core first, in a process confined to these, "
    "the same number in every pool"
)


def skeleton(identity_text: str, environment: dict[str, Any]) -> dict[str, Any]:
    """Return a killed run's record: what is measured and where, without results."""
    identity, gpu = json.loads(identity_text), None
    with contextlib.suppress(NoSuchDevice):
        gpu = chosen(identity["device"]) if identity["accelerator"] == "cuda" else None
    return {
        "schema": SCHEMA,
        "identity": identity_text,
        "cell": {name: identity[name] for name in CELL_FIELDS},
        "status": "killed",
        "reason": ending.WHOLE_JOB_KILLED,
        "started_at": now(),
        "finished_at": now(),
        "total_s": 0.0,
        "environment": {
            **{name: environment[name] for name in ENVIRONMENT},
            "variables": identity["variables"],
        },
        "threads": {
            "policy": THREAD_POLICY,
            "requested": identity["threads"],
            "affinity": processors.pinned(identity["threads"]),
        },
        "machine": machine.summary(gpu),
        "load": dict.fromkeys(LOAD),
        "memory": dict.fromkeys(MEMORY),
        **dict.fromkeys(PARTS),
        "probes": [],
        "warnings": [],
        "log_tail": [],
    }


def now() -> str:
    """Return the UTC time, ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextlib.contextmanager
def reserved(path: Path) -> Iterator[Path]:
    """Reserve a record's disk space before anything is measured, so that a full disk shows before
    the run; yield the file for :func:`write`. Raises OSError.
    """
    partial = path.with_name(f".{path.name}.partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        partial.write_bytes(bytes(RESERVE_BYTES))
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def write(record: dict[str, Any], partial: Path, path: Path) -> dict[str, Any]:
    """Put the record in place, atomically; return it as written, see :func:`valid`."""
    record = valid(record)
    content = (json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()
    path.parent.mkdir(parents=True, exist_ok=True)  # it may have been removed meanwhile
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
        file.write(content)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    return record


OPTIONAL = ("outcome", "calls", "host_overhead", "energy", "parity")


def violation(record: dict[str, Any]) -> str:
    """Return where and how a record violates its contract; empty if it does not."""
    # pydantic takes a tenth of a second, which no run waits for before it starts.
    from millistep.contracts.base import violation as of_contract
    from millistep.contracts.record import Record

    return of_contract(Record, record)


def valid(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record that matches its contract: this one, if need be without parts that the time
    does not need, or an error that names the violation.
    """
    found = violation(record)
    while (part := re.split(r"\W", found)[0]) in OPTIONAL and record[part] is not None:
        warnings = [*record["warnings"], f"{part}: left out: {found}"]
        record = {**record, part: None, "warnings": warnings}
        found = violation(record)
    if not found:
        return record
    unknown = dict.fromkeys((*OPTIONAL, "timing", "monitor", "work"))
    unknown |= {"probes": [], "warnings": [], "status": "error"}
    return {**record, **unknown, "reason": f"invalid record: {found}"}


class Unreadable(Exception):
    """A file in a record's place is no record of this version; the message has the reason."""


def read_bytes(path: str | Path) -> bytes:
    """Read a plain file; raises FileNotFoundError if it is missing, else :class:`Unreadable`."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for a writer
            raise Unreadable("is no file")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None


def parse(raw: bytes) -> dict[str, Any]:
    """Parse a record, checking only schema and first level; raises :class:`Unreadable`."""
    try:
        found = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not JSON ({' '.join(str(error).split())})") from None
    if not isinstance(found, dict):
        raise Unreadable("is not a JSON object")
    if found.get("schema") != SCHEMA:
        raise Unreadable(f"is no {SCHEMA}, its schema is {str(found.get('schema'))[:60]!r}")
    from millistep.contracts.base import schema  # most starts find only records as planned
    from millistep.contracts.record import Record

    if lacking := [name for name in schema(Record)["required"] if name not in found]:
        raise Unreadable(f"lacks {', '.join(lacking)}")
    try:
        if not isinstance(json.loads(found["identity"]), dict):
            raise Unreadable("has an identity that is not a JSON object")
    except (ValueError, TypeError, RecursionError):
        raise Unreadable("has an identity that is not JSON") from None
    return found


def read(path: str | Path) -> dict[str, Any]:
    """Read a record; raises FileNotFoundError or :class:`Unreadable`."""
    return parse(read_bytes(path))


def could_not_begin(record: dict[str, Any]) -> bool:
    """Return True if a run was refused or had no environment, which may change at a start."""
    return record["status"] == "refused" or "not_deployed" in (record["not_tried"] or {})


def disturbed(record: dict[str, Any]) -> str:
    """Return the interference that makes a run's times useless; empty without any."""
    from millistep.contracts.record import CALM_WINDOWS, FOREIGN_MUCH  # a new record has loaded it

    found, gpu = list[str](), (record["monitor"] or {}).get("gpu") or {}
    shares = [window.get("foreign_cpu_share") for window in record["timing"]["windows"]]
    calm = sum(share is not None and share < FOREIGN_MUCH for share in shares)
    if (record["load"]["foreign_cpu_share"] or 0.0) >= FOREIGN_MUCH and calm < CALM_WINDOWS:
        least = f"{100 * FOREIGN_MUCH:.0f}\u00a0%"
        found.append(f"other processes took at least {least} of the CPU time")
    if gpu.get("foreign_processes"):
        found.append("other processes had a context on the GPU")
    return " and ".join(found)


def step_ms(record: dict[str, Any]) -> float:
    """Return ms per step of all timed steps of a record together, as in the table."""
    windows = record["timing"]["windows"]
    elapsed_ns: float = sum(window["elapsed_ns"] for window in windows)
    return float(elapsed_ns / sum(window["steps"] for window in windows) / 1e6)
