"""Reading a record with suspicion: anything may lie in its place."""

import json
import os
import stat
from functools import cache
from pathlib import Path
from typing import Any

from millistep.supervise.record import SCHEMA

FOREIGN_CPU_HEAVY = 0.10  # of the CPU time of a run, used by others: its times are affected


class Unreadable(Exception):
    """A file in a record's place is no record of this version; the message has the reason."""


def read_bytes(path: str | Path) -> bytes:
    """Read a plain file; raises FileNotFoundError if it is missing, else :class:`Unreadable`."""
    try:
        # If it is a pipe, do not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unreadable("is no file")
    with open(descriptor, "rb") as file:
        return file.read()


def parse(raw: bytes) -> dict[str, Any]:
    """Parse a record, checking only its schema's name and its first level; raises
    :class:`Unreadable`.
    """
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
    if lacking := [name for name in _required() if name not in found]:
        raise Unreadable(f"lacks {', '.join(lacking)}")
    try:
        if not isinstance(json.loads(found["identity"]), dict):
            raise Unreadable("has an identity that is not a JSON object")
    except (ValueError, TypeError, RecursionError):
        raise Unreadable("has an identity that is not JSON") from None
    return found


@cache
def _required() -> list[str]:
    from millistep.contracts.base import schema  # most starts find only records as planned
    from millistep.contracts.record import Record

    return list(schema(Record)["required"])


def read(path: str | Path) -> dict[str, Any]:
    """Read a record; raises FileNotFoundError or :class:`Unreadable`."""
    return parse(read_bytes(path))


def entries(path: Path, name: str, needed: set[str]) -> list[dict[str, Any]]:
    """Return a list in a JSON file of ours; empty if the file is missing or broken, or an entry
    lacks anything that is needed.
    """
    try:
        found: list[dict[str, Any]] = json.loads(path.read_text())[name]
        return found if all(needed <= {*entry} for entry in found) else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def could_not_begin(record: dict[str, Any]) -> bool:
    """Return True if a record only shows that its environment was missing, which may change at a
    start.
    """
    return "not_deployed" in (record["not_tried"] or {})


def disturbed(record: dict[str, Any]) -> str:
    """Return the interference that makes a run's times useless; empty without any."""
    gpu = (record["monitor"] or {}).get("gpu") or {}
    found = []
    if (record["load"]["foreign_cpu_share"] or 0.0) >= FOREIGN_CPU_HEAVY:
        least = f"{100 * FOREIGN_CPU_HEAVY:.0f}\u00a0%"
        found.append(f"other processes took at least {least} of the CPU time")
    if gpu.get("foreign_processes"):
        found.append("other processes had a context on the GPU")
    return " and ".join(found)


def step_ms(record: dict[str, Any]) -> float:
    """Return ms per step of all timed steps of a record together, as in the table."""
    windows = record["timing"]["windows"]
    ms: float = sum(w["elapsed_ns"] for w in windows) / sum(w["steps"] for w in windows) / 1e6
    return ms
