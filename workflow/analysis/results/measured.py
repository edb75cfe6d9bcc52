"""The measured files of a plan: read from the results folder and checked, or as they were kept.

Rule `runs` reads and checks them once, and keeps their bytes in one Parquet. What is drawn later
reads that alone: all of it is of the same records, whatever becomes of their files meanwhile.
"""

import os
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from analysis.formats.strict_json import parse_json, read_bytes, validate
from analysis.results.plan import Plan, PlannedBlock, load_plan
from contract import ending

Files = dict[str, bytes]  # by their paths in the plan
LINES_AT_ONCE = 500  # of tens of thousands: all at once would be in memory twice


class Folder:
    """The project that a plan's paths start from, and the results folder that they must not leave.

    Without `project`, that is the folder in which the plan's folder has the name that the plan
    gives it: results, or results/studies/<name>.
    """

    def __init__(self, plan: Plan, plan_path: Path, project: Path | None = None):
        self._results = os.path.abspath(plan_path.parent)
        above = os.path.join(self._results, *[os.pardir] * len(Path(plan.results).parts))
        self._project = os.path.abspath(project or above)
        self._problems: list[str] = []

    def read(self, path: str, schema: str, make: Callable[[Any], Any]) -> tuple[bytes, Any]:
        """The bytes of a file, and what is made of its data; ``(b"", None)`` where there is none. A
        broken one is a problem.
        """
        try:
            full = self._locate(path)
            if os.path.lexists(full):
                raw = read_bytes(full, path)
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


def read_measured(plan: Plan, folder: Folder) -> Files:
    """Every record, session file and machine card that is there, in the order of the plan."""
    files: Files = {}

    def read(path: str, schema: str, make: Callable[[Any], Any]) -> Any:
        raw, made = folder.read(path, schema, make)
        if raw:
            files[path] = raw
        return made

    for row in plan.rows:
        for column in plan.columns:
            for run in plan.cell(row, column).runs:
                expected = (*row.key, column.name, run.run)
                read(run.record, "record", partial(_check_record, expected))
    nodes = [read(block.path, "block", partial(_nodes, block)) for block in plan.blocks]
    for node in dict.fromkeys(chain.from_iterable(filter(None, nodes))):
        read(plan.machine_card(node), "machine", bool)
    return files


def keep_measured(plan_path: Path, project: Path | None, output: Path) -> None:
    """Read and check every measured file, and keep all in one."""
    import pyarrow as pa  # here as elsewhere, because importing it takes longer than most commands
    import pyarrow.parquet as pq

    plan = load_plan(plan_path)
    folder = Folder(plan, plan_path, project)
    files = read_measured(plan, folder)
    folder.raise_problems()
    output.parent.mkdir(parents=True, exist_ok=True)
    lines = pa.table({"path": [*files], "content": [*files.values()]})
    pq.write_table(lines, output, compression="zstd", row_group_size=LINES_AT_ONCE)


def kept_measured(path: Path) -> Files:
    """The files as they were kept: they were checked before."""
    import pyarrow.parquet as pq

    files: Files = {}
    try:
        for lines in pq.ParquetFile(path).iter_batches(LINES_AT_ONCE):
            files |= zip(lines["path"].to_pylist(), lines["content"].to_pylist(), strict=True)
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: not the Parquet that `--keep` writes ({error})") from None
    return files


def _check_record(expected: tuple[str, str, int, str, int], data: dict[str, Any]) -> None:
    """What a schema cannot check: the record is in the right place, and ok means times exist."""
    cell = data["cell"]
    if tuple(cell[name] for name in ("model", "task", "batch_size", "column", "run")) != expected:
        model, task, batch_size, column, run = expected
        planned = f"{model} {task} b{batch_size} {column} run {run}"
        raise InputError(f"/cell: is not the run that the plan expects here ({planned})")
    status, _ = ending.of_record(data)
    if status == "ok" and not (data["timing"] and data["timing"]["blocks"]):
        raise InputError("/timing/blocks: empty, although the status is ok")


def _nodes(block: PlannedBlock, data: dict[str, Any]) -> list[str]:
    """Those of a block's sessions; it has to be the block that the plan expects there."""
    row = (data["row"]["model"], data["row"]["task"], data["row"]["batch_size"])
    if (row, data["round"]) != (block.row, block.round):
        model, task, batch_size = block.row
        planned = f"{model} {task} b{batch_size} round {block.round}"
        raise InputError(f"/row: is not the block that the plan expects here ({planned})")
    return [session["node"] for session in data["sessions"]]
