"""A run with all that the published page ran with, and what it shows of claims and findings."""

from quiet_table import PROPERTY as PROPERTY
from record_changes import takes
from results_factory import Project, make_plan

from analysis.claims import judge
from analysis.comparisons.findings import findings
from analysis.results.reference import load_reference

PUBLISHED = load_reference()
PAGE = PUBLISHED.conditions
A100 = "NVIDIA A100-SXM4-40GB"
BERT = (("bert", "fit", 32, 32), ("bert", "predict", 256, 256))
K2, K3_TF, JAX, TORCH = "keras2-tensorflow", "keras3-tensorflow", "keras3-jax", "keras3-torch"


def on_the_pages_machine(folder, rows=BERT, runs=3, **step_ms):
    """All that the page ran with, but three runs; step_ms by column, the same in every row."""
    plan = make_plan(runs=runs, rows=rows, scale="paper", accelerator="cuda", weights="preset")
    project = Project(folder, plan)

    def change_record(r):
        column, cell = r["cell"]["column"], r["cell"]
        r["machine"]["accelerator_name"] = A100
        r["environment"]["packages"].update(PAGE.versions[column])
        mode = PAGE.exceptions.get((column, cell["model"], cell["task"]))
        r["parity"]["execution"] = mode or PAGE.execution[column]
        if products := PAGE.products.get((column, cell["model"])):
            r["parity"]["matmul_precision"] = products
        factor = step_ms.get(r["cell"]["column"].replace("-", "_"))
        if factor:
            takes(r, factor * wobble(r))

    project.change(change_record)
    return project


def wobble(r):
    """Runs differ a little, columns not in the same way."""
    return 1 + (sum(map(ord, r["cell"]["column"])) * r["cell"]["run"] % 7) / 1e4


def verdicts(results):
    return {found.id: found for found in judge(results, PUBLISHED)}


def answers(results):
    return {found.id: found for found in findings(results)}
