"""A table that no caveat applies to, and changes of what was planned and measured of it."""

from hypothesis import HealthCheck, settings
from results_factory import Project, identity, make_plan

from analysis.caveats import collect

JAX, TORCH = "keras3-jax", "keras3-torch"
QUIET = {"scale": "paper", "accelerator": "cuda", "weights": "preset"}
ROW = ("bert", "fit", 8, 32)
PROPERTY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def quiet_project(folder, runs=3, rows=(ROW,), columns=(JAX, TORCH)):
    """Columns that differ in nothing, on paper scale and a GPU: no caveat applies."""
    project = Project(folder, make_plan(runs, rows, columns, **QUIET))
    for record in project.records.values():
        record["parity"].update(execution="jit", compiler="xla")
    return project


def ids(project):
    return [caveat.id for caveat in collect(project.load())]


def found(project, name):
    """The caveats of one rule."""
    return [caveat for caveat in collect(project.load()) if caveat.id == name]


def parity(key, value):
    return lambda p: p.change(lambda r: r["parity"].update({key: value}), column=TORCH)


def record(section, key, value, **where):
    where = {"column": TORCH, "run": 2, **where}
    return lambda p: p.change(lambda r: r[section].update({key: value}), **where)


def on_processor(project):
    """The same table, planned and measured without the GPU."""
    plan = project.plan
    plan.update(accelerator="cpu")
    project.canaries_on = {"cpu": project.canaries}
    for column in plan["columns"]:
        column["settings"]["accelerator"] = "cpu"
    project.change(lambda r: r["cell"].update(accelerator="cpu"))


def on_both_devices(project):
    """The same row of one framework on the processor and on the GPU."""
    twin = make_plan(3, (ROW,), (JAX, f"{JAX}+cpu"), **QUIET)
    other = Project(project.folder, twin)
    project.plan, project.records = other.plan, other.records
    project.canaries_on, project.machine_card = other.canaries_on, other.machine_card


def on_the_pages_stack(project):
    """One column is said to have the page's versions; its record names others."""
    project.plan["columns"][1]["settings"]["stack"] = "2024-03"


def one_run_only(project):
    project.plan["runs"] = 1
    for cell in project.plan["cells"]:
        cell["runs"] = cell["runs"][:1]
    kept = {run["record"] for cell in project.plan["cells"] for run in cell["runs"]}
    project.records = {path: r for path, r in project.records.items() if path in kept}


def another_batch_size(project):
    other = quiet_project(project.folder, rows=(ROW, ("bert", "fit", 16, 32)))
    project.records, project.canaries = other.records, other.canaries
    project.plan.update({name: other.plan[name] for name in ("rows", "cells", "blocks")})


def unsupported_cell(project):
    cell = project.plan["cells"][1]
    for run in cell["runs"]:
        del project.records[run["record"]]
    cell.update(unsupported="does not exist there", runs=[])


def without_record(project):
    del project.records[project.plan["cells"][1]["runs"][2]["record"]]


def stale(project):
    project.change(lambda r: r.update(identity=identity(TORCH, "fit", 2, x=1)), column=TORCH, run=2)
