"""A table that no caveat applies to, and changes of what was planned and measured of it."""

from hypothesis import HealthCheck, settings
from results_factory import Project, make_plan

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


def parity(**entries):
    return lambda p: p.change(lambda r: r["parity"].update(entries), column=TORCH)


def record(section, column=TORCH, run=2, **entries):
    return lambda p: p.change(lambda r: r[section].update(entries), column, run=run)


def on_processor(project):
    """The same table, planned and measured without the GPU."""
    plan = project.plan
    plan.update(accelerator="cpu")
    project.canaries_on = {"cpu": project.canaries}
    for column in plan["columns"]:
        column["settings"]["accelerator"] = "cpu"
    project.change(lambda r: r["cell"].update(accelerator="cpu"))


def one_run_only(project):
    project.plan["runs"] = 1
    for cell in project.plan["cells"]:
        cell["runs"] = cell["runs"][:1]
    kept = {run["record"] for cell in project.plan["cells"] for run in cell["runs"]}
    project.records = {path: r for path, r in project.records.items() if path in kept}
