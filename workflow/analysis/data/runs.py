"""Every run as one tidy line: its results, then every scalar field of its record, unrounded."""

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any

from analysis.results.cells import Cell
from analysis.results.results import Results
from analysis.results.runs import Run
from analysis.statistics.intervals import ends

RESULTS = (
    *("model", "task", "batch_size", "column", "run", "position", "status", "reason", "record"),
    *("ms_per_step", "synchronised_p50_ms", "legacy_ms", "blocks", "steps", "steady_state"),
    *("flops_per_s", "share_of_peak"),
    # of its cell, the same for all its runs: as printed, and by these runs alone
    *("cell_ms_per_step", "cell_ci95_low_ms", "cell_ci95_high_ms"),
    *("cell_plain_ci95_low_ms", "cell_plain_ci95_high_ms"),
)
# of a record: fields that RESULTS already hold, and what is no scalar
ELSEWHERE = {"status", "reason", "environment.packages"}
ELSEWHERE |= {f"cell.{name}" for name in ("model", "task", "batch_size", "column", "run")}
OPTIONAL_PARTS = {"timing", "timing.legacy", "work", "parity", "training", "operation"}
OPTIONAL_PARTS |= {"operation.agreement", "operation.build"}
OPTIONAL_PARTS |= {f"operation.agreement.{name}" for name in ("gradients", "losses")}

Columns = dict[str, list[Any]]


def run_columns(results: Results) -> Columns:
    """One entry per planned run in each column; None where a run has no such value. Lists and the
    package list stay in the record.
    """
    runs = [*results.runs]
    columns: Columns = {name: [None] * len(runs) for name in RESULTS}
    for place, (cell, run) in enumerate(runs):
        fields = _fields(run.record) if run.record else ()
        for name, value in (*zip(RESULTS, _results(cell, run), strict=True), *fields):
            if name not in columns:
                columns[name] = [None] * len(runs)
            columns[name][place] = value
    return columns


def _results(cell: Cell, run: Run) -> Iterable[Any]:
    timing = run.record.timing if run.ok and run.record else None
    yield from (*cell.row.key, cell.column.name, run.number, run.position)
    yield from (run.status, run.reason, run.path)
    yield from (run.step_ms, run.synchronised_ms, run.legacy_ms)
    yield from (len(timing.blocks), timing.steps) if timing else (None, None)
    yield str(run.steadiness.state) if run.ok else None
    yield from (run.flops_per_s, run.share_of_peak, cell.step_ms)
    for interval in (cell.interval, cell.plain_interval):
        yield from ends(interval)


def _fields(part: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the scalar fields of a record, or of a part of it, by dotted name."""
    for key, value in (part if isinstance(part, dict) else vars(part)).items():
        name = f"{prefix}{key}"
        if name in ELSEWHERE or (value is None and name in OPTIONAL_PARTS):
            continue
        if is_dataclass(value) or isinstance(value, dict):
            yield from _fields(value, f"{name}.")
        elif not isinstance(value, list | tuple):
            yield name, value
