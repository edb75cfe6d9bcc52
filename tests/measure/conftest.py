"""Fixtures that measure the fake framework by the real supervisor and a real child process."""

import json
import sys
from pathlib import Path

import pytest

from supervise import parent, sitting

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


@pytest.fixture
def block_folder(tmp_path, monkeypatch):
    """The folder from which the paths of a block start."""
    (tmp_path / "fake.json").write_text(json.dumps(ENVIRONMENT))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(sitting.SITTING, "drawn")  # set, so that the test puts it back


@pytest.fixture
def environment():
    """The marker of the environment, for a test to change."""
    return {**ENVIRONMENT}


def identity(scale="smoke", threads=1, changes=None, **architecture):
    """The identity of a run of the fake framework."""
    return json.dumps(
        {
            "accelerator": "cpu",
            "architecture": {"step_ms": 1.0, **architecture},
            "batch_size": 4,
            "device": None,
            "environment": "0" * 64,
            "column": "fake",
            "framework": "fake",
            "library": "torch",
            "module": "fake",
            "interpreter": sys.executable,
            "model": "fake",
            "least_memory_mib": 1.0,
            "parameters": 1,
            "precision": "default",
            "extras": ["legacy", "profile"],
            "probes": [{"batch_size": 1}, {"batch_size": 8}],
            "trains": "all",
            "run": 1,
            "scale": scale,
            "seed": 1,
            "measure": 1,
            "files": "",
            "task": "fit",
            "threads": threads,
            "variables": {},
            "weights": "random",
            **(changes or {}),
        },
        sort_keys=True,
    )


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The record of a run of the fake framework, from which nothing special is asked."""
    folder = tmp_path_factory.mktemp("plain")
    path, log = folder / "run1.json", folder / "run1.log"
    parent.run(parent.Job(identity(), {**ENVIRONMENT}, log, 60, 20_000, (PLUGINS,)), path)
    return valid(json.loads(path.read_text()), "record")


@pytest.fixture
def run(environment, tmp_path):
    """``run(**architecture)``: measure a fake cell; return its valid record, read from the disk."""

    def measured(
        time_limit_s=60, memory_limit_mib=20_000, scale="smoke", changes=None, more=None, **asked
    ):
        path, log = tmp_path / "records/run1.json", tmp_path / "logs/run1.log"
        limits = time_limit_s, memory_limit_mib
        text = identity(scale, changes=changes, **asked)
        parent.run(parent.Job(text, environment, log, *limits, (PLUGINS,), **(more or {})), path)
        return valid(json.loads(path.read_text()), "record")

    return measured
