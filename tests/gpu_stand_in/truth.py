"""Projects that the pipeline measures on simulated machines, to compare the analysis with them."""

import json
from pathlib import Path

from analysis.data import Data
from analysis.results.loading import load_results
from analysis.results.stand_in import MARK
from tests.pipeline.conftest import Project, checkout

from .machine import Machine


def measured(
    folder: Path, machine: Machine, interpreter: str, own: dict[str, str], **config
) -> Project:
    """A project with three measured rounds at `smoke`.

    own: files of frameworks that are like native PyTorch, by their names in their folder. config:
    more of the configuration; its columns have this interpreter.
    """
    frameworks = folder / "own" / "frameworks"
    frameworks.mkdir(parents=True)
    for name, text in own.items():
        (frameworks / name).write_text(text)
    project = checkout(folder / "project")
    names = [each if isinstance(each, str) else each["framework"] for each in config["columns"]]
    project.configure(
        scale="smoke",
        accelerator="cuda",
        runs=3,
        folders=[str(frameworks.parent)],
        interpreters=dict.fromkeys(names, interpreter),
        environment=machine.variables,
        **config,
    )
    project.made("results/sessions.json", **machine.environ())  # after all runs, nothing is drawn
    return project


def analysed(project: Project) -> Data:
    """The project's data as a report has them, but every record is marked as one of which nothing
    was measured, and without the others' share of the processors: of cells that others disturbed a
    report says nothing, and here times are set.
    """
    for path in project.records():
        file = project.folder / path
        record = json.loads(file.read_text())
        record["machine"]["accelerator_name"] = f"Set times {MARK}"
        for part in (record["load"], record["host_overhead"]):
            if part:
                part["foreign_cpu_share"] = None
        file.write_text(json.dumps(record))
    return Data(load_results(project.folder / "results/plan.json"))
