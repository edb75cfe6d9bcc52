"""The runs of a plan: their number for each workload, their random order, their groups.

The number is one for all rows, or another for a model, a task or a batch size. With ``auto``, each
start adds two rounds to the workloads that the last report calls inconclusive.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from millistep.deploy.virtual_environments import read_json
from millistep.planning.columns import Column
from millistep.planning.config import ConfigError

AUTO, MORE, MOST = "auto", 2, 11  # rounds that a start adds to an undecided workload, and the most
REST = "default"  # the key for all rows that are not named
# The parts that name a row, from the outermost to the innermost key.
PARTS = ("model", "task", "batch size")


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    model: str
    task: str
    batch_size: int


@dataclass(frozen=True)
class Run:
    """One process that measures one cell."""

    row: Row
    column: Column
    number: int
    position: int
    record: str  # path, relative to the project
    identity: str


def record_path(folder: str, row: Row, column: Column, number: int) -> str:
    """Return the path of a record: ``<folder>/<model>/<task>-b<batch>/<column>/run<k>.json``."""
    return f"{folder}/{row.model}/{row.task}-b{row.batch_size}/{column.name}/run{number}.json"


def runs_of_rows(asked: Any, default: int, rows: Sequence[Row]) -> dict[Row, int]:
    """Return the number of runs of each row; raises :class:`ConfigError` for an unknown name.

    asked: the configuration's ``runs``. default: the number for ``default``.
    """
    named = dict(asked) if isinstance(asked, dict) else {REST: asked}
    rest = named.pop(REST, REST)
    found = dict.fromkeys(rows, default if rest == REST else rest)
    return found | _named(named, rows, ("runs",))


def until_decided(
    default: int, rows: Sequence[Row], summary: Path, of: dict[str, str]
) -> dict[Row, int]:
    """Return the number of runs of each row with `auto`.

    summary: what the last report wrote. of: the plan's scale and accelerator; a report of others
    does not count.
    """
    found, report = dict.fromkeys(rows, default), read_json(summary)
    if report.get("of") == of:
        with contextlib.suppress(LookupError, TypeError):  # it is of another version
            for last in report["workloads"]:
                row = Row(last["model"], last["task"], last["batch_size"])
                rounds = last["rounds"] + (MORE if last["undecided"] else 0)
                if row in found:
                    found[row] = max(default, min(rounds, MOST))
    return found


def cost(workloads: Sequence[dict[str, Any]]) -> str:
    """Return what more rounds of the undecided workloads would cost; empty without any."""
    able = [w for w in workloads if w["undecided"] and w["rounds"] + MORE <= MOST]
    if not able:
        return ""
    minutes = max(1, round(MORE * sum(w["round_s"] for w in able) / 60))
    one = ("1 workload is", "it")
    which, of = one if len(able) == 1 else (f"{len(able)} workloads are", "them")
    return (
        f"{which} inconclusive: {MORE} more rounds of {of} take about {minutes} min; "
        "a start with runs: auto adds them."
    )


def _named(asked: dict[Any, Any], rows: Sequence[Row], path: tuple[str, ...]) -> dict[Row, int]:
    """Return the runs of the rows that keys name: models, tasks or batch sizes."""
    depth = len(path) - 1
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(str(astuple(row)[depth]), []).append(row)
    found: dict[Row, int] = {}
    for name, value in ((str(key), value) for key, value in asked.items()):
        if name not in by_name:
            raise ConfigError(
                f"{'.'.join(path)}: no workload has the {PARTS[depth]} '{name}'; "
                f"allowed are {', '.join(by_name)}"
            )
        if isinstance(value, dict):
            found |= _named(value, by_name[name], (*path, name))
        else:
            found |= dict.fromkeys(by_name[name], value)
    return found


def positions(
    names: Mapping[Row, Iterable[str]], runs_of: Mapping[Row, int], seed: int
) -> dict[tuple[Row, str, int], int]:
    """Return the position of every run, by its workload, configuration and number.

    names: the configurations of each workload. Each round visits every workload. The order of a
    workload depends on no other workload, nor on the number of runs.
    """
    order = [
        (row, name, run)
        for run in range(1, max(runs_of.values()) + 1)
        for row in names
        if run <= runs_of[row] and names[row]
        for name in _order(sorted(names[row]), run, f"{seed} {row}")
    ]
    return {entry: position for position, entry in enumerate(order)}


def _order(names: list[str], run: int, seed: str) -> list[str]:
    """Return the order of a round: a row of a random Latin square, so in as many rounds as there
    are names, each has each place once.
    """
    number = len(names)
    block, turn = divmod(run - 1, number)
    rng = random.Random(f"{seed} {block}")
    rng.shuffle(names)
    rounds, places = (rng.sample(range(number), number) for _ in range(2))
    return [names[(rounds[turn] + place) % number] for place in places]


@dataclass(frozen=True)
class Group:
    """The runs of a workload in a round, in the random order of their turns."""

    row: Row
    number: int  # of the round
    runs: tuple[Run, ...]  # including the second run of the cell that the self-test measures twice
    name: str  # the words of its paths: ``bert/fit-b8/round1``
    references: dict[str, str]  # files of the reference workload by accelerator, cuda first
    done: str  # the file that its job on a cluster writes at the end

    @property
    def around(self) -> str:
        """The accelerator whose lock all its jobs take: cuda if any run is on a GPU."""
        return next(iter(self.references))

    @property
    def files(self) -> list[str]:
        """The files of its jobs, in the order of the jobs."""
        return [*self.references.values(), *(run.record for run in self.runs)]


def groups(runs: Sequence[Run], again: Sequence[Run], folder: str, seed: int) -> list[Group]:
    """Return the groups in measuring order.

    again: second runs of the cell that the self-test measures twice. Both runs of a pair are
    neighbors, in an order that is generated from the seed. folder: of the reference files.
    """
    second = {run.position: run for run in again}
    coin = random.Random(f"{seed} same cell")
    found: dict[tuple[Row, int], list[Run]] = {}
    for run in runs:
        names = [run, second[run.position]] if run.position in second else [run]
        coin.shuffle(names)
        found.setdefault((run.row, run.number), []).extend(names)
    return [_group(row, number, tuple(of), folder) for (row, number), of in found.items()]


def _group(row: Row, number: int, runs: tuple[Run, ...], folder: str) -> Group:
    name = f"{row.model}/{row.task}-b{row.batch_size}/round{number}"
    used = {run.column.accelerator for run in runs}
    references = {str(k): f"{folder}/{name}-{k}.json" for k in ("cuda", "cpu") if k in used}
    return Group(row, number, runs, name, references, f"{folder}/{name}.done")


def chunk_of(own: str, members: Sequence[str], resident: int) -> list[str]:
    """Return the members of a group that take turns with one of them.

    If there are more members than processes that are resident at once, they are divided evenly.
    """
    parts = -(-len(members) // resident)
    size, longer = divmod(len(members), parts)
    rest = iter(members)
    chunks = [list(islice(rest, size + (part < longer))) for part in range(parts)]
    return next(chunk for chunk in chunks if own in chunk)
