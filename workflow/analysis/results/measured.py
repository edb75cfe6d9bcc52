"""The measured files of a plan: read from the results folder and checked, or as they were kept.

Rule `runs` reads and checks them once, and keeps their bytes in one Parquet. What is drawn later
reads that alone: all of it is of the same records, whatever becomes of their files meanwhile.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from analysis.formats.strict_json import parse_json, read_bytes, validate
from analysis.results.plan import Plan

LINES_AT_ONCE = 500  # of tens of thousands: all at once would be in memory beside what they become
MAX_BYTES = 8 * 2**20  # a record is some kilobytes; what is larger is none
Make = Callable[[Any], Any]  # from a file's data to what is made of it


class Folder:
    """The project that a plan's paths start from, and the results folder that they must not leave:
    the plan's folder has in the project the name that the plan gives it, results, or
    results/studies/<name>.
    """

    def __init__(self, plan: Plan, plan_path: Path):
        self._results = os.path.abspath(plan_path.parent)
        self._project = os.path.join(self._results, *[os.pardir] * len(Path(plan.results).parts))
        self._problems: list[str] = []

    def read(self, path: str, schema: str, make: Make) -> tuple[bytes, Any]:
        """The bytes of a file, and what is made of its data; ``(b"", None)`` where there is none. A
        broken one is added to the problems.
        """
        try:
            full = self._locate(path)
            if os.path.lexists(full):
                raw = read_bytes(full, path, MAX_BYTES)
                data = parse_json(raw, path)
                validate(data, schema, path)
                return raw, make(data)
        except InputError as error:
            known = (path, repr(path))
            self._problems += [
                line if line.startswith(known) else f"{path}: {line}" for line in error.lines
            ]
        return b"", None

    def raise_problems(self) -> None:
        """Report all broken files together, one line each."""
        if self._problems:
            raise InputError(self._problems)

    def _locate(self, path: str) -> Path:
        """The file of a path; compared as text, since results may be a link elsewhere."""
        full = os.path.normpath(os.path.join(self._project, path))
        if "\0" in path or not full.startswith(f"{self._results}{os.sep}"):
            raise InputError(f"{path!r}: outside of the results folder")
        return Path(full)


class Kept:
    """The files as they were kept, after they had been checked."""

    def __init__(self, path: Path):
        import pyarrow.parquet as pq  # here, because importing it takes longer than most commands

        self._path = path
        self._waiting: dict[str, bytes] = {}
        with self._refused():
            file = pq.ParquetFile(path)
            self._left = {*file.read(["path"])["path"].to_pylist()}
            self._batches = file.iter_batches(LINES_AT_ONCE)

    def read(self, path: str, _: str, make: Make) -> tuple[bytes, Any]:
        """Like :meth:`Folder.read`; files are asked for in the order in which they were kept."""
        if path not in self._left:
            return b"", None
        self._left.remove(path)
        while path not in self._waiting:
            with self._refused():
                lines = next(self._batches).to_pydict()
                self._waiting |= zip(lines["path"], lines["content"], strict=True)
        raw = self._waiting.pop(path)
        return raw, make(json.loads(raw))

    @contextmanager
    def _refused(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, ValueError) as error:
            told = f"{self._path}: not the Parquet that `--keep` writes ({error})"
            raise InputError(told) from None


@contextmanager
def keeping(output: Path) -> Iterator[Callable[[str, bytes], None]]:
    """Write files into one as they are read; nothing is left of it where that fails."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema({"path": pa.string(), "content": pa.binary()})
    waiting: dict[str, bytes] = {}

    def write() -> None:
        lines = {"path": [*waiting], "content": [*waiting.values()]}
        writer.write_table(pa.table(lines, schema))
        waiting.clear()

    def keep(path: str, raw: bytes) -> None:
        waiting[path] = raw
        if len(waiting) == LINES_AT_ONCE:
            write()

    partial = output.with_name(f"{output.name}.partial")
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        with pq.ParquetWriter(partial, schema, compression="zstd") as writer:
            yield keep
            write()
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
