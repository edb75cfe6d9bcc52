"""The tidy tables that every topic starts from, as pandas DataFrames.

A row of the printed table is named by ROW, a cell by CELL, a run by RUN. All frames are in table
order: rows as planned, columns as planned, runs by number. What is not known is missing (NaN or
None).

==================  ===========================================================================
frame               a line per
==================  ===========================================================================
``runs``            planned run: its results and every scalar of its record by dotted name, as in
                    runs.parquet; ``ok`` says whether it counts, ``sitting`` which runs it is
                    paired with
``cells``           cell: time, interval, standing, and what its column is
``ratios``          ordered pair of cells of a row that may be compared: time of ``slower`` over
                    that of ``faster``, paired by round; each pair is there both ways round
``timed_blocks``    block of steps of a run that counts and was timed at other sizes or lengths,
                    too: its own have ``probe`` 0. ``samples`` and ``max_length`` say of what size
                    the step was, ``new_tokens`` are of the whole batch, ``run_ms`` is the ms/step
                    of its run
``profiles``        profile of a run that counts, the timed ms/step beside the profiled one;
                    ``least_ms`` is what its FLOPs take on the machine
``profiler_pairs``  two blocks of such a profile, without the profiler and under it, in ms/step
``operations``      operation of such a profile, in ms and times per profiled step, with its group
==================  ===========================================================================
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

import pandas as pd

from analysis.data.operation_groups import group_of
from analysis.data.runs import run_columns
from analysis.results.cells import Cell, cell_ratio
from analysis.results.plausibility import least_ms
from analysis.results.profiles import HostOverhead
from analysis.results.reference import Reference
from analysis.results.results import Results
from analysis.results.rows import RowCells
from analysis.results.runs import Run
from analysis.statistics.intervals import ends, numbers

ROW = ["model", "task", "batch_size"]
CELL = [*ROW, "column"]
RUN = [*CELL, "run"]

CellKey = tuple[str, str, int, str]


@dataclass(frozen=True)
class Data:
    """What was planned and measured, as tables; `results` has what no table has yet, `reference`
    what was published (None where nothing asks for it). Equal for the same results, so that what
    was computed of them is not computed again.
    """

    results: Results
    reference: Reference | None = field(default=None, compare=False)

    @cached_property
    def cell_of(self) -> dict[CellKey, Cell]:
        """The cell under each key, as CELL names it."""
        return {cell_key(cell): cell for cell in self.results.cells}

    def by_cell(self, values: pd.Series) -> dict[Cell, Any]:
        """Values with CELL as their index by their cells, in table order."""
        found = values.to_dict()
        return {cell: found[key] for key, cell in self.cell_of.items() if key in found}

    @cached_property
    def recorded(self) -> pd.DataFrame:
        """Every planned run as it is published in runs.csv and runs.parquet."""
        return pd.DataFrame(run_columns(self.results), dtype=object).apply(_typed)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Every planned run as recorded, with `ok` and `sitting`."""
        sittings = pd.Series([run.sitting for _, run in self.results.runs], dtype=object)
        return self.recorded.assign(ok=self.recorded["status"] == "ok", sitting=sittings)

    @cached_property
    def ok_runs(self) -> pd.DataFrame:
        """The runs that count."""
        return self.runs[self.runs["ok"]]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Every cell of the table; times in ms/step."""
        lines = [_cell(row, cell) for row in self.results.rows for cell in row.cells]
        return pd.DataFrame(lines, columns=CELL_COLUMNS)

    @cached_property
    def ratios(self) -> pd.DataFrame:
        """Pairs of cells of a row, with the 95 % interval of the ratio where there is one."""
        lines = [line for row in self.results.rows for line in _ratios(row)]
        return pd.DataFrame(lines, columns=RATIO_COLUMNS)

    @cached_property
    def timed_blocks(self) -> pd.DataFrame:
        """Blocks of runs that were timed at other sizes or lengths, too; see Probe."""
        models = self.results.plan.models
        lines = [
            (*cell_key(cell), run.number, *block)
            for cell, run in self.results.runs
            if run.ok and run.record and run.record.probes
            for block in _blocks(cell, run, models[cell.row.model].architecture.get("max_length"))
        ]
        return pd.DataFrame(lines, columns=[*RUN, *BLOCK_COLUMNS])

    @cached_property
    def profiles(self) -> pd.DataFrame:
        """Profiles; see the record's `host_overhead`. `share` and `step_ms` are of `Run`."""
        return self._of_profiles(_profile, PROFILE_COLUMNS)

    @cached_property
    def profiler_pairs(self) -> pd.DataFrame:
        """Blocks that were measured in turns with and without the profiler."""
        return self._of_profiles(_pairs, ["plain_ms", "profiled_ms"])

    @cached_property
    def operations(self) -> pd.DataFrame:
        """Operations of profiles; those that a record does not list are one of them."""
        return self._of_profiles(_operations, OPERATION_COLUMNS)

    def _of_profiles(
        self, lines: Callable[[Run, HostOverhead], Iterable[tuple]], columns: list[str]
    ) -> pd.DataFrame:
        found = [
            (*cell_key(cell), run.number, *line)
            for cell, run in self.results.runs
            if run.ok and run.record and run.record.host_overhead
            for line in lines(run, run.record.host_overhead)
        ]
        return pd.DataFrame(found, columns=[*RUN, *columns])


def _typed(values: pd.Series) -> pd.Series:
    """Whole numbers stay whole where some are missing; pandas would make floats of them."""
    whole = values.hasnans and {type(value) for value in values.dropna()} == {int}
    return values.astype("Int64") if whole else values.infer_objects()


def cell_key(cell: Cell) -> CellKey:
    """The key of a cell: its value of each name in CELL."""
    return (*cell.row.key, cell.column.name)


CELL_COLUMNS = [*CELL, "row_title", "row_label", "column_title", "framework", "family", "plain"]
CELL_COLUMNS += ["accelerator", "stack", "status", "reason", "step_ms", "ci95_low_ms"]
CELL_COLUMNS += ["ci95_high_ms", "standing", "comparable", "tells_nothing", "ok_runs"]


def _cell(row: RowCells, cell: Cell) -> tuple[Any, ...]:
    column, standing = cell.column, row.standings.get(cell.column.name)
    low_high = ends(cell.interval if cell.ok_runs else None)
    return (
        *(*cell_key(cell), cell.row.title, cell.row.label, column.title, column.framework),
        *(column.family, column.plain, column.accelerator, column.stack, cell.status, cell.reason),
        *(cell.step_ms, *low_high, standing and str(standing), cell.comparable),
        *(cell.tells_nothing, len(cell.ok_runs)),
    )


RATIO_COLUMNS = [*ROW, "faster", "slower", "ratio", "ci95_low", "ci95_high", "rounds"]


def _ratios(row: RowCells) -> list[tuple[Any, ...]]:
    """All pairs of cells of a row; a ratio below 1 says that `faster` is in fact the slower one."""
    lines = []
    for faster, slower in permutations(row.measured, 2):
        if found := cell_ratio(slower, faster):
            names = (faster.column.name, slower.column.name)
            lines.append((*row.row.key, *names, *numbers(found)))
    return lines


BLOCK_COLUMNS = ["probe", "samples", "max_length", "new_tokens", "steps", "elapsed_ns", "run_ms"]


def _blocks(cell: Cell, run: Run, own_length: int | None) -> Iterator[tuple[Any, ...]]:
    """The timed blocks of a run; an older record has only the sum of the blocks of a probe."""
    record = run.record
    own = (0, cell.row.batch_size, own_length, record.work and record.work.tokens_per_step)
    kinds = [(own, record.timing.blocks)]
    for number, probe in enumerate(record.probes, start=1):
        kind = (number, probe.batch_size, probe.max_length, probe.new_tokens)
        kinds.append((kind, probe.blocks or (probe,)))
    for kind, blocks in kinds:
        for block in blocks:
            yield (*kind, block.steps, block.elapsed_ns, run.step_ms)


PROFILE_COLUMNS = ["sitting", "accelerator", "timed_ms", "least_ms", "share", "method", "step_ms"]
PROFILE_COLUMNS += ["launched"]


def _profile(run: Run, profile: HostOverhead) -> Iterator[tuple[Any, ...]]:
    found = (run.idle_share, profile.method, run.divided_ms, profile.launched)
    yield (run.sitting, run.record.cell.accelerator, run.step_ms, least_ms(run), *found)


def _pairs(_: Run, profile: HostOverhead) -> Iterator[tuple[Any, ...]]:
    yield from ((pair.plain_ms, pair.profiled_ms) for pair in profile.pairs)


OPERATION_COLUMNS = ["name", "group", "ms", "count", "launched"]


def _operations(_: Run, profile: HostOverhead) -> Iterator[tuple[Any, ...]]:
    for found in profile.all_operations:
        group = str(group_of(found.name))
        yield (found.name, group, found.ms, found.count, found.launched)


def of_fullest_runs(timed: pd.DataFrame, kind: list[str]) -> pd.DataFrame:
    """Keep the lines of those runs that timed what the one with the most of their cell did.

    A line of `timed` is of a run, and of a kind, which the columns `kind` name. Another run would
    move the means of some kinds alone, by whatever runs differ in.
    """
    if timed.empty:
        return timed
    kinds = pd.Series(list(timed[kind].itertuples(index=False, name=None)), timed.index)
    by_run = kinds.groupby([timed[name] for name in RUN], sort=False).agg(frozenset)
    by_cell = by_run.map(len).groupby(level=CELL, sort=False)
    most = {run[:-1]: by_run[run] for run in by_cell.idxmax()}
    kept = [run for run, found in by_run.items() if found == most[run[:-1]]]
    return timed[pd.MultiIndex.from_frame(timed[RUN]).isin(kept)]
