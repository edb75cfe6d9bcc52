"""Fixtures that measure the fake framework by the real supervisor and a real child process."""

import json
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from millistep.measure.frameworks import Framework
from millistep.supervise import parent, sources, turns

from ..shared import valid

PLUGINS = str(Path(__file__).parent / "plugins")
# A marker that names the interpreter of these tests.
ENVIRONMENT = {
    "schema": "millistep.environment/1",
    "name": "fake",
    "accelerator": "cpu",
    "method": "interpreter",
    "definition_sha256": "0" * 64,
    "interpreter": sys.executable,
    "prefix": sys.prefix,
    "python": sys.version.split()[0],
    "packages": {},
}


def wanted(marker, method="interpreter"):
    """The option for the environment of a marker."""
    paths = {"definition": "fake.yaml", "marker": str(marker)}
    facts = {"name": "fake", "method": method, "planned": "0" * 64}
    return json.dumps({**facts, **paths, "interpreter": sys.executable})


class Bare(Framework):
    """A framework with the defaults alone, which waits for nothing and compiles nothing."""

    load = live_accelerator = precision = build = run = work = parity = None

    def fence(self):
        pass

    def compilations(self):
        return None


def identity(scale="smoke", changes=None, **architecture):
    """The identity of a run of the fake framework."""
    facts = {
        "model": "fake", "task": "fit", "batch_size": 4, "scale": scale, "run": 1, "seed": 1,
        "column": "fake", "framework": "fake", "family": "pytorch", "library": "torch",
        "module": "fake", "interpreter": sys.executable, "environment": "0" * 64, "variables": {},
        "accelerator": "cpu", "device": None, "threads": 1, "precision": "default",
        "architecture": {"step_ms": 1.0, **architecture}, "weights": "random", "trains": "all",
        "parameters": 1, "least_memory_mib": 1.0, "measure": 1, "extras": ["legacy", "profile"],
        "probes": [{"batch_size": 1}, {"batch_size": 8}],
        "files": sources.digest([Path(PLUGINS)], "fake", "pytorch", "fake"),
    }  # fmt: skip
    return json.dumps(facts | (changes or {}), sort_keys=True)


def cell_options(**options) -> list[str]:
    """Return options of the command that measures a fake cell: these and others."""
    own = {
        **{"around": "cpu", "round": "smoke/fake/fit-b4/round1", "folder": PLUGINS},
        **{"memory_gib": 8, "time_limit_s": 60},
    }
    return [f"--{name.replace('_', '-')}={value}" for name, value in (own | options).items()]


def measured(folder, identity, environment=ENVIRONMENT, limits=(60, 20_000), caches=None) -> dict:
    """Measure a run alone, within limits of s and MiB; return its valid record."""
    job = parent.Job(identity, environment, folder / "logs/run1.log", *limits, (PLUGINS,), caches)
    with (
        patch.object(turns, "folder", lambda name: folder),
        turns.Member("cpu", "start", ["own"], "own") as member,
    ):
        return valid({**parent.run(job, member), "session": None}, "record")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The record of a run of the fake framework, from which nothing special is asked."""
    return measured(tmp_path_factory.mktemp("plain"), identity())


@pytest.fixture
def run(tmp_path):
    """``run(**architecture)``: measure a fake cell alone; return its valid record."""

    def run(time_limit_s=60, memory_limit_mib=20_000, caches=None, **asked):
        limits = time_limit_s, memory_limit_mib
        return measured(tmp_path, identity(**asked), limits=limits, caches=caches)

    return run
