"""Writing the record of one run, so that it is complete or absent."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SCHEMA = "millistep.record/1"
RESERVE_BYTES = 1024 * 1024  # more than any record needs


def now() -> str:
    """Return the UTC time, ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class RecordFile:
    """A record's file; reserves its disk space before anything is measured.

    A full disk shows before the run, not after it: :meth:`reserve` raises
    OSError, and :meth:`write` fills the reserved blocks and renames the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._partial = path.with_name(f".{path.name}.partial")

    def reserve(self) -> None:
        """Create the folder and allocate the blocks."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._partial, "wb") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
            else:
                file.write(bytes(RESERVE_BYTES))

    def write(self, record: dict[str, Any]) -> dict[str, Any]:
        """Put the record in place, atomically; return it as written, see :func:`valid`."""
        record = valid(record)
        content = (json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()
        with open(self._partial, "r+b") as file:
            file.write(content)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._partial, self.path)
        return record

    def discard(self) -> None:
        """Give the reserved space back."""
        self._partial.unlink(missing_ok=True)


def violation(record: dict[str, Any]) -> str:
    """Return where and how a record violates its contract; empty if it does not.

    NaN and infinite numbers violate it, too: JSON has no such numbers.
    """
    # pydantic takes a tenth of a second, which no run waits for before it starts.
    from millistep.contracts.base import violation as of_contract
    from millistep.contracts.record import Record

    return of_contract(Record, record)


def valid(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record that matches its contract: this one, or an error that names its violation."""
    if not (found := violation(record)):
        return record
    parts = ("timing", "monitor", "energy", "work", "host_overhead", "calls", "outcome", "parity")
    unknown = dict.fromkeys(parts)
    unknown |= {"probes": [], "warnings": [], "status": "error"}
    return {**record, **unknown, "reason": f"invalid record: {found}"}
