"""What the supervisor of a run leaves where it is killed, for who comes after it."""

from pathlib import Path

from supervise import sitting

SUFFIX = ".in_flight"


class Mark:
    """A hidden file of one run, there while it is measured; only a kill leaves it behind."""

    def __init__(self, results: Path, record: Path, block: str) -> None:
        kind = record.relative_to(results).parts[0]  # records, or self_test for a second name
        name = f".{kind}-{record.parent.name}{SUFFIX}"
        self._file = sitting.folder(results, block) / name

    @property
    def left(self) -> bool:
        """Whether the run was begun and did not end in order."""
        return self._file.exists()

    def begin(self) -> None:
        """Of the run; raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch()

    def end(self) -> None:
        """In order, whichever way."""
        self._file.unlink(missing_ok=True)


def any_left(results: Path, block: str) -> bool:
    """Whether a run of a block was killed in flight."""
    return any(sitting.folder(results, block).glob(f".*{SUFFIX}"))
