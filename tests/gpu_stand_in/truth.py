"""Projects that the pipeline measures on simulated machines, for what the analysis says of them."""

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
    """Three rounds at `smoke`.

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
    """As the report does, but that every record is marked as one of which nothing was measured, and
    that nothing is told of what others took of the processors meanwhile: of cells that they
    disturbed a report says nothing, and here times are set.
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
