"""Operations on the processor alone: which ways are planned where, and what measures them again."""

import json

import pytest
import yaml

from planning import identity
from planning.identity import MEASURE
from planning.models import Models
from planning.unsupported import NO_FRAMEWORK
from supervise import sources

from ..measure.nvidia_smi import A100
from .test_config import BERT, ROOT, plan

STUDY = yaml.safe_load((ROOT / "config/studies/host_operations.yaml").read_text())
OPERATIONS = ("mas_host", "csv_parse", "augment")


def study(**changes):
    return plan(**{**STUDY, "scale": "smoke", **changes})


def test_every_way_of_a_model_is_in_the_study_and_no_other_is_measured():
    made = study()
    measured = {model: set() for model in OPERATIONS}
    for run in made.runs:
        measured[run.row.model].add(run.column.way)
    declared = {model: made.models.load(model).ways["host"] for model in OPERATIONS}
    assert measured == {model: {*ways} for model, ways in declared.items()}
    reasons = {made.unsupported[row, "host+numba"] for row in made.rows if row.model == "csv_parse"}
    assert reasons == {"csv_parse has no numba way on host"}


def test_a_net_is_not_measured_without_a_framework_nor_an_operation_with_one():
    columns = ["keras2-tensorflow", "pytorch-eager", "host"]
    made = plan(models={**BERT, "augment": {"predict": "default"}}, columns=columns)
    cells = {(run.row.model, run.column.name) for run in made.runs}
    assert cells == {("bert", "keras2-tensorflow"), ("bert", "pytorch-eager"), ("augment", "host")}


def test_nothing_of_it_is_measured_on_a_gpu(gpus):
    gpus(A100)
    made = plan(accelerator="cuda", models=STUDY["models"], columns=["host"])
    assert {*made.unsupported.values()} == {NO_FRAMEWORK}
    beside = plan(
        accelerator="cuda",
        models=STUDY["models"],
        columns=[{"framework": "host", "accelerator": "cpu"}],
    )
    assert {run.column.accelerator for run in beside.runs} == {"cpu"}


@pytest.mark.parametrize(
    ("model", "way", "expected"),
    [
        ("mas_host", "python", {"by_python.py"}),
        ("mas_host", "numba", {"by_numba.py"}),
        ("mas_host", "ctypes", {"by_ctypes.py", "mas_c.c", "mas.pyx", "operations.h"}),
        ("csv_parse", "polars", {"by_polars.py"}),
        ("augment", "cython", {"by_cython.py", "augment.pyx", "operations.h"}),
    ],
)
def test_what_is_written_for_one_way_measures_that_way_again(model, way, expected):
    """No import statement names it."""
    found = sources.native(MEASURE, Models([]).load(model), "numpy", way)
    assert {path.name for path in found} == expected


def test_a_run_counts_them_in_its_identity(monkeypatch):
    def digests():
        identity._sources.cache_clear()
        runs = study(columns=[{"framework": "host", "way": "numba"}]).runs
        return {run.row.model: json.loads(run.identity)["sources"] for run in runs}

    before = digests()
    changed = MEASURE / "models/augment/by_numba.py"
    content = sources._content
    monkeypatch.setattr(sources, "_content", lambda file: content(file) + b"#" * (file == changed))
    after = digests()
    identity._sources.cache_clear()
    assert {model for model in before if before[model] != after[model]} == {"augment"}
