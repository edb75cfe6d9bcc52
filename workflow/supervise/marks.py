"""Marks: files that a killed supervisor leaves behind, by which the next attempt knows of it."""

import contextlib
import os
from pathlib import Path

from deploy.virtual_environments import write_atomically
from supervise import reading, sitting

SUFFIX, REFUSED = ".in_flight", ".refused"


class Refusal:
    """A hidden file by which the second attempt knows that the first was not killed: it failed, and
    said why.
    """

    def __init__(self, output: Path) -> None:
        self._file = output.with_name(f".{output.name}{REFUSED}")

    def leave(self) -> None:
        with contextlib.suppress(OSError):  # a full disk, of which the user has just been told
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch()

    def forget(self) -> bool:
        """True if there was one."""
        was = self._file.exists()
        self._file.unlink(missing_ok=True)
        return was


class Mark:
    """A hidden file of one run, there while it is measured; only a kill leaves it behind."""

    def __init__(self, results: Path, record: Path, block: str) -> None:
        kind = record.relative_to(results).parts[0]  # records, or self_test for a second name
        run = sitting.folder(results, block) / f"{kind}-{record.parent.name}"
        self._file, self._record = run.with_name(f".{run.name}{SUFFIX}"), record
        self._refusal = Refusal(run)

    @property
    def left(self) -> bool:
        """True if the run was begun and did not end in order."""
        return self._file.exists()

    def begin(self) -> None:
        """Mark that the run has begun; raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch()
        self._refusal.forget()

    def keep(self) -> None:
        """Copy the record into the mark, as Snakemake removes what a killed job has written."""
        with contextlib.suppress(OSError):  # a full disk: the record is there, and stays
            write_atomically(self._file, self._record.read_text())

    def restore(self, identity: str) -> bool:
        """Put the record back that a run wrote before it was killed; True if now there is a record
        of this identity, that one or an earlier one. Raises OSError.
        """
        if _is_of(self._file, identity):
            self._record.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self._file, self._record)
        return _is_of(self._record, identity)

    def end(self, refused: bool = False) -> None:
        """Remove the mark: the run ended in order. refused: it must not be tried once more."""
        self._file.unlink(missing_ok=True)
        if refused:
            self._refusal.leave()

    def was_refused(self) -> bool:
        """True if the attempt before was refused; forget it."""
        return self._refusal.forget()


def any_left(results: Path, block: str) -> bool:
    """True if a run of a block was killed while it was measured."""
    return any(sitting.folder(results, block).glob(f".*{SUFFIX}"))


def _is_of(file: Path, identity: str) -> bool:
    try:
        found = reading.read(file)
    except (FileNotFoundError, reading.Unreadable):
        return False
    return found["identity"] == identity and not reading.could_not_begin(found)
