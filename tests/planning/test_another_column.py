"""A further column leaves the measured runs of all others as they are."""

import pytest

from millistep.planning import changes

from ..measure.nvml import A100
from ..nets import NETS
from ..shared import put
from .records import identities, write_record
from .test_config import BERT, plan

COLUMNS = list(NETS)
# What each is called, test_settings.py and test_overlays.py have.
ANOTHER = [
    {"framework": "keras3-jax", "precision": "float32"},
    {"framework": "keras3-torch", "jit_compile": True},
    {"framework": "pytorch-compiled", "mode": "max-autotune"},
    {"framework": "pytorch-eager", "threads": 3},
    {"framework": "pytorch-eager", "overlay": {"transformers": "4.38.1"}},
    {"framework": "keras3-jax", "overlay": ["keras"]},
    {"framework": "pytorch-eager", "interpreter": "/opt/python3"},
]


@pytest.mark.parametrize("column", ANOTHER)
@pytest.mark.parametrize("place", ["first", "last"])
def test_another_setting_is_measured_alone(tmp_path, monkeypatch, column, place):
    put(tmp_path / "keras/pyproject.toml", "")
    monkeypatch.chdir(tmp_path)
    columns = [column, *COLUMNS] if place == "first" else [*COLUMNS, column]
    before, after = plan(models=BERT), plan(models=BERT, columns=columns)
    assert identities(before).items() < identities(after).items()
    new = {run.column.name for run in after.runs if run.record not in identities(before)}
    assert new == {after.columns[0 if place == "first" else -1].name}


def test_what_new_runs_are_not_compared_with_is_said(tmp_path):
    before = plan(models=BERT, columns=["keras3-jax", "pytorch-eager"], runs=1)
    for path, run in before.timed.items():
        write_record(tmp_path / path, run.identity)

    def said(**changed):
        made = plan(**{"models": BERT, "runs": 1, **changed})
        return changes.summary(made, changes.reasons(made, tmp_path))

    apart = said(columns=["keras3-jax", "pytorch-eager", "keras3-torch"])
    assert (
        "  kept runs of keras3-jax, pytorch-eager belong to an earlier session and are not compared"
        " with the new ones; delete results/records/smoke/bert/fit-b4, "
        "results/records/smoke/bert/predict-b8 to measure whole workloads again"
    ) in apart.splitlines()
    # Rounds that are new to every column are compared within themselves.
    assert "earlier session" not in said(columns=["keras3-jax", "pytorch-eager"], runs=2)


def test_a_column_on_the_processors_beside_those_on_a_gpu(gpus):
    gpus(A100)
    before = plan(models=BERT, accelerator="cuda")
    columns = [*COLUMNS, {"framework": "keras3-torch", "accelerator": "cpu"}]
    after = plan(models=BERT, accelerator="cuda", columns=columns)
    assert identities(before).items() < identities(after).items()
    new = identities(after).keys() - identities(before)
    assert {path.split("/")[1] for path in new} == {"records"}
    assert all("keras3-torch+cpu" in path for path in new)
    assert (before.accelerators, after.accelerators) == (["cuda"], ["cuda", "cpu"])
    assert {tuple(group.references) for group in after.groups} == {("cuda", "cpu")}


def test_an_interpreter_for_one_framework_leaves_others_in_its_locked_environment(tmp_path):
    put(tmp_path / "frameworks/frameworks.yaml", "jax-again: {like: keras3-jax, title: A}")
    own = {"folders": [str(tmp_path)], "interpreters": {"keras3-jax": "/opt/python3"}}
    made = plan(models=BERT, columns=["keras3-jax", "jax-again"], **own)
    first, second = map(made.environment_of, made.columns)
    assert (first.interpreter, second.interpreter) == ("/opt/python3", None)
    assert first.marker != second.marker
    assert first.method(True) == first.method(False) == "interpreter"
    assert (second.method(True), second.method(False)) == ("conda", "venv")
