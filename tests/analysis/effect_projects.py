"""Tables whose columns differ in one thing."""

import copy
from functools import partial

from record_changes import stretch
from results_factory import Project, make_column, make_plan

from analysis.results.plan import Column

JAX, TORCH = "keras3-jax", "keras3-torch"
TF32 = f"{JAX}+tf32"
FASTER_BY_A_QUARTER = {1: 0.80, 2: 0.80, 3: 0.80}


def columns(*asked):
    """Columns of a plan from names, or names with settings."""
    pairs = [(entry, {}) if isinstance(entry, str) else entry for entry in asked]
    return [Column(**make_column(name, **settings)) for name, settings in pairs]


def project_of(folder, *asked, **more):
    """A project with these columns, each as fast as its framework."""
    pairs = [(entry, {}) if isinstance(entry, str) else entry for entry in asked]
    plan = make_plan(columns=tuple(name for name, _ in pairs), **more)
    plan["columns"] = [make_column(name, **settings) for name, settings in pairs]
    return Project(folder, plan)


def tf32_project(folder, more=(), **planned):
    """Two columns of one framework, and `more`, that all take the same time."""
    columns = (JAX, TF32, *more)
    project = project_of(folder, JAX, (TF32, {"precision": "tf32"}), *more, **planned)
    records = [[r for r in project.records.values() if r["cell"]["column"] == c] for c in columns]
    for one, *others in zip(*records, strict=True):
        for other in others:
            other["timing"]["blocks"] = copy.deepcopy(one["timing"]["blocks"])
    return project


def scale(project, column, factors, task=""):
    """Multiply the times of a column by a factor for each run."""
    for run, factor in factors.items():
        project.change(partial(stretch, factor=factor), column=column, task=task, run=run)
