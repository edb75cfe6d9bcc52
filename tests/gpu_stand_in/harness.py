"""Measures cells of the shipped configuration on a simulated machine, by supervisor and child."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

import yaml

from millistep.planning.plan import Plan
from millistep.supervise import device, parent, turns
from tests.shared import python

from . import build, environment
from .environment import ROOT
from .machine import Machine

TIME_LIMIT_S, MEMORY_LIMIT_MIB = 1800.0, 16_000.0
LIST_GPUS = """
import dataclasses, json
from millistep.supervise import device
print(json.dumps([dataclasses.asdict(gpu) for gpu in device.gpus()]))
"""


def planned(columns, models=None, tasks=None, scale="smoke", **changes) -> list:
    """The first run of each cell on a GPU, in the order of the table."""
    return [
        run
        for run in plan(columns, scale, **changes).runs
        if (not models or run.row.model in models) and (not tasks or run.row.task in tasks)
    ]


def plan(columns, scale="smoke", **changes) -> Plan:
    """The shipped configuration for GPUs, one run a cell."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    wanted = {"scale": scale, "runs": 1, "accelerator": "cuda", "columns": list(columns)}
    return Plan({**config, **wanted, **changes})


@cache
def environment_of(column: str) -> tuple[dict, Path]:
    """The marker of a column's environment, and libraries with all functions asked for there.

    Raises EnvironmentProblem and CannotBuild.
    """
    name = "pytorch" if column.startswith("pytorch") else column
    marker = environment.deployed(name)
    return marker, build.built_for(marker["prefix"])


def measured(
    run,
    machine: Machine,
    record: Path,
    extras: list[str] | None = None,
    few_steps: bool = False,
    memory_limit_mib: float = MEMORY_LIMIT_MIB,
    **options,
) -> dict:
    """Measure a run on a machine: its record.

    extras: which of these follow, ``legacy`` and ``profile``, without probes; None: all that is
        planned.
    few_steps: as many as at `smoke`, whatever its scale.
    options: more of :class:`supervise.parent.Job`.
    """
    marker, _ = environment_of(run.column.name)
    identity = json.loads(run.identity)
    if extras is not None:
        identity |= {"extras": extras, "probes": []}
    if few_steps:
        identity["scale"] = "smoke"
    identity["variables"] = {**identity["variables"], **machine.variables}
    found = {**marker, "definition_sha256": identity["environment"], "method": "interpreter"}
    limits = (TIME_LIMIT_S, memory_limit_mib)
    job = parent.Job(json.dumps(identity), found, record.with_suffix(".log"), *limits, **options)
    own = machine.folder / "lock"
    own.mkdir(exist_ok=True)
    with (
        mock.patch.object(turns, "folder", lambda name: own),
        turns.Member("gpu", "start", ["own"], "own") as member,
    ):
        return parent.run(job, member)


def one(machine: Machine, column: str, model: str, task: str, changes=None, **options) -> dict:
    """Plan a cell on a machine and measure its first run there; changes: of the configuration."""
    with on(machine):
        (run,) = planned([column], [model], [task], **(changes or {}))
        return measured(run, machine, machine.folder / "run.json", **options)


@contextmanager
def on(machine: Machine) -> Iterator[Machine]:
    """Put this process on the machine, as the supervisor would be: it has the machine's variables
    and GPUs, which a process of its own lists, since NVML is loaded once.
    """
    with mock.patch.dict(os.environ, machine.environ(), clear=True):
        listed = tuple(device.Gpu(**facts) for facts in json.loads(python("-c", LIST_GPUS)))
        with mock.patch.object(device, "gpus", lambda: listed):
            yield machine


def kernels(record: dict) -> list[dict]:
    """The operations on a device in a profile, without copies."""
    every = record["host_overhead"]["operations"]
    return [each for each in every if not each["name"].startswith(("Memcpy", "Memset"))]
