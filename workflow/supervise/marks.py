"""What the supervisor of a run leaves where it is killed, for who comes after it."""

import contextlib
import os
from pathlib import Path

from deploy.virtual_environments import write_atomically
from supervise import reading, sitting

SUFFIX, REFUSED = ".in_flight", ".refused"


class Mark:
    """A hidden file of one run, there while it is measured; only a kill leaves it behind."""

    def __init__(self, results: Path, record: Path, block: str) -> None:
        kind = record.relative_to(results).parts[0]  # records, or self_test for a second name
        name = f".{kind}-{record.parent.name}{SUFFIX}"
        self._file, self._record = sitting.folder(results, block) / name, record

    @property
    def left(self) -> bool:
        """Whether the run was begun and did not end in order."""
        return self._file.exists()

    def begin(self) -> None:
        """Of the run; raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch()
        self._refused.unlink(missing_ok=True)

    def keep(self) -> None:
        """Copy the record into the mark: Snakemake removes what a job that is killed has written.
        Raises OSError.
        """
        write_atomically(self._file, self._record.read_text())

    def restore(self, identity: str) -> bool:
        """Put the record of a run that was killed after it in place; return whether there is one of
        this identity, that or an earlier one. Raises OSError.
        """
        if _is_of(self._file, identity):
            self._record.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self._file, self._record)
        return _is_of(self._record, identity)

    def end(self, refused: bool = False) -> None:
        """In order, whichever way. refused: nothing was measured, nor has to be tried again."""
        self._file.unlink(missing_ok=True)
        if refused:
            with contextlib.suppress(OSError):  # of a full disk, which has just been told of
                self._refused.touch()

    def was_refused(self) -> bool:
        """Return whether the attempt before was, and forget it."""
        was = self._refused.exists()
        self._refused.unlink(missing_ok=True)
        return was

    @property
    def _refused(self) -> Path:
        return self._file.with_suffix(REFUSED)


def any_left(results: Path, block: str) -> bool:
    """Whether a run of a block was killed in flight."""
    return any(sitting.folder(results, block).glob(f".*{SUFFIX}"))


def _is_of(file: Path, identity: str) -> bool:
    try:
        found = reading.read(file)
    except (FileNotFoundError, reading.Unreadable):
        return False
    return found["identity"] == identity and not reading.could_not_begin(found)
