"""The pages so far: after the first workload, and after each round but the last."""

from types import SimpleNamespace

import pytest

from millistep.planning.jobs import Jobs

from .test_config import plan

ROWS = {"bert": {"fit": 8, "predict": 32}, "sam": {"predict": 4}}


@pytest.mark.parametrize(
    ("done", "pages"),
    [
        (0, {"first_workload": 1, "round1": 3}),  # the report follows the second round
        (2, {"first_workload": 1, "round1": 1}),
        (4, {"first_workload": 1}),
        (6, {}),
    ],
)
def test_pages_wait_for_the_records_that_this_start_measures(done, pages):
    made = plan(scale="laptop", models=ROWS, columns=["keras3-jax"], runs=2, threads=1)
    missing = [run.record for group in made.groups[done:] for run in group.runs]
    start = SimpleNamespace(plan=made, now=missing, on_nodes=False, elsewhere=False)
    found = Jobs(start).so_far
    workloads = {part: {path.split("/run")[0] for path in of} for part, of in found.items()}
    workloads = {p: {w for w in of if "/records/" in w} for p, of in workloads.items()}
    assert {part: len(of) for part, of in workloads.items()} == pages
    assert {path for of in found.values() for path in of} <= {*missing}
