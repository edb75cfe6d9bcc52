"""The whole pipeline in a copy of the project, with the real frameworks at smoke scale."""

import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from millistep.analysis import tables
from millistep.analysis.load import load
from millistep.planning.plan import Plan
from tests.nets import NETS as FRAMEWORKS
from tests.shared import copy_tree

COLUMNS = tuple(FRAMEWORKS)
CONFIG = """\
scale: smoke
accelerator: cpu
threads: 1
models:
  bert:
    fit: default
    predict: default
columns: [{}]
""".format(", ".join(COLUMNS))


PLAN, TABLE = "results/plan.json", "results/table.md"
KERAS2, KERAS3, PYTORCH = (
    tuple(name for name, framework in FRAMEWORKS.items() if framework.family == family)
    for family in ("keras2", "keras3", "pytorch")
)


class Project:
    """A checkout with its own results."""

    def __init__(self, folder: Path):
        self.folder = folder

    def snakemake(self, *arguments, cores=1, timeout=1500, **environ):
        """Run Snakemake here; the completed process, stdout and stderr as text."""
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments]
        options = {"cwd": self.folder, "timeout": timeout, "env": {**os.environ, **environ}}
        return subprocess.run(command, capture_output=True, text=True, **options)

    def made(self, *targets, **options) -> subprocess.CompletedProcess:
        """Make these targets; it must succeed."""
        done = self.snakemake("--quiet", "all", "--", *targets, **options)
        assert done.returncode == 0, done.stderr
        return done

    def measure(self, **environ) -> None:
        """Make the planned runs and nothing else, and write their tables."""
        self.made(PLAN, *self.planned_records(), **environ)
        self.write_tables()

    def write_tables(self, results: str = "results") -> None:
        """Write table.md and runs.csv, without the figures and pages of the report's rule."""
        data = load(self.folder / results / "plan.json")
        tables.write(data, self.folder / results)
        tables.write_runs(data, self.folder / results)

    def configure(self, **config) -> None:
        """Replace these keys of the configuration."""
        path = self.folder / "config/config.yaml"
        path.write_text(json.dumps({**yaml.safe_load(path.read_text()), **config}))

    def planned_records(self) -> list[str]:
        """Paths of all planned records: if these are asked for, nothing else is measured."""
        config = yaml.safe_load((self.folder / "config/config.yaml").read_text())
        return [run.record for run in Plan(config).runs]

    def measured(self, *arguments, said: str = "") -> dict[str, int]:
        """Runs by column that a dry run would measure, without second names; said: its text."""
        timed = r"^(?:local)?rule time_(?!again:)\w+:\n(?:[ \t].*\n)*?[ \t]+"
        timed += r"wildcards: .*\bcolumn=([^,\n]+)"
        columns = re.findall(timed, said or self.dry_run(*arguments), re.M)
        return dict(collections.Counter(columns))

    def planned(self, *arguments, said: str = "") -> dict[str, int]:
        """Number of jobs of each rule that a dry run would do; said: its text."""
        said = said or self.dry_run(*arguments)
        if "Nothing to be done" in said:
            return {}
        table = said.split("Job stats:", 1)[1].split("total", 1)[0]
        return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.M)}

    def dry_run(self, *arguments) -> str:
        """Text of a dry run."""
        done = self.snakemake("-n", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def copy(self, folder: Path) -> "Project":
        """Copy checkout and results, with their timestamps."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that is there exactly once."""
        file = self.folder / path
        text = file.read_text()
        assert text.count(old) == 1, f"{path} holds {text.count(old)} times: {old}"
        file.write_text(text.replace(old, new))

    def append(self, path: Path | str) -> None:
        """Add an empty line to a file."""
        with (self.folder / path).open("a") as file:
            file.write("\n")

    def records(self) -> dict[str, bytes]:
        """Content of all records, by path."""
        files = sorted((self.folder / "results/records").rglob("run*.json"))
        return {str(file.relative_to(self.folder)): file.read_bytes() for file in files}

    def found(self) -> list[dict]:
        """Content of all records, parsed."""
        return [*map(json.loads, self.records().values())]

    def read(self, path: str) -> dict:
        """Content of a JSON file."""
        return json.loads((self.folder / path).read_text())

    def runs(self, results: str = "results") -> list[dict[str, str]]:
        """Lines of runs.csv."""
        with open(self.folder / results / "runs.csv", newline="") as lines:
            return list(csv.DictReader(lines))


def checkout(folder: Path) -> Project:
    """A copy of this project without its tests, configured for BERT at smoke scale."""
    copy_tree(folder, left_out=("tests/",))
    (folder / "config/config.yaml").write_text(CONFIG)
    return Project(folder)


@pytest.fixture(scope="session")
def measured(tmp_path_factory) -> Project:
    """BERT on all columns, measured for real; not to be changed by a test."""
    project = checkout(tmp_path_factory.mktemp("measured"))
    project.first = project.made()
    return project


@pytest.fixture
def project(measured, tmp_path) -> Project:
    """A copy of the measured project that a test may change."""
    return measured.copy(tmp_path / "project")


@pytest.fixture
def fresh(tmp_path) -> Project:
    """A checkout in which nothing was measured yet."""
    return checkout(tmp_path / "fresh")
