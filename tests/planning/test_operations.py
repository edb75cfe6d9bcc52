"""Operations in several ways: which are planned where, and which changes measure them again."""

import json

import pytest
import yaml

from planning.models import Models
from planning.unsupported import NO_FRAMEWORK, NO_XLA

from ..measure.nvidia_smi import A100
from .test_config import BERT, ROOT, plan

STUDY = yaml.safe_load((ROOT / "config/studies/host_operations.yaml").read_text())
ALIGNER = {"aligner": {"fit": "default", "predict": "default"}}


def of(framework, *ways, **more):
    return [{"framework": framework, "way": way, **more} for way in ways]


def unsupported(made):
    return {(row.model, row.task, name): why for (row, name), why in made.unsupported.items()}


def test_a_way_names_its_column_unless_it_is_the_frameworks_own():
    made = plan(models=ALIGNER, columns=of("pytorch-eager", "framework", "native", "naive"))
    names = ["", "+native", "+naive"]
    assert [c.name for c in made.columns] == [f"pytorch-eager{name}" for name in names]
    assert made.unsupported == {}
    identities = [json.loads(run.identity) for run in made.runs]
    assert {i["way"] for i in identities} == {"framework", "native", "naive"}
    assert {i["operation"] for i in identities} == {"mas"}


def test_a_way_that_a_model_does_not_have_is_unsupported_and_others_are_measured():
    columns = of("keras3-jax", "framework", "native", "triton")
    made = plan(models={"bert": {"fit": "default"}, **ALIGNER}, columns=columns)
    lacking = [("bert", "fit", "native"), ("bert", "fit", "triton")]
    lacking += [("aligner", task, "triton") for task in ("fit", "predict")]
    assert unsupported(made) == {
        (model, task, f"keras3-jax+{way}"): "its model has no such way on keras3-jax"
        for model, task, way in lacking
    }
    assert len(made.runs) == 5


def test_what_cannot_run_a_way_says_so():
    made = plan(models=ALIGNER, columns=of("pytorch-eager", "triton"))
    assert {*made.unsupported.values()} == {"Triton has no driver for processors"}
    jit = [
        column
        for framework in ("keras3-tensorflow", "keras3-jax")
        for column in of(framework, "framework", "native", "callback", jit_compile=True)
    ]
    assert unsupported(plan(models={"aligner": {"fit": "default"}}, columns=jit)) == {
        ("aligner", "fit", f"keras3-tensorflow+jit+{way}"): NO_XLA for way in ("native", "callback")
    }
    # A model's reason may be about one way.
    made = plan(models=ALIGNER, columns=of("pytorch-compiled", "framework", "native"))
    ((cell, reason),) = unsupported(made).items()
    assert cell == ("aligner", "predict", "pytorch-compiled")
    assert reason.startswith("torch.compile unrolls the loop over frames")


def test_a_setting_that_a_library_ignores_is_not_measured_as_if_it_changed_something():
    settings = {"keras3-torch": True, "keras3-jax": False, "keras3-tensorflow": False}
    columns = [{"framework": name, "jit_compile": jit} for name, jit in settings.items()]
    tasks = {"fit": "default", "generate": "default"}
    made = plan(models={"gemma": tasks, "mistral": tasks}, columns=columns)
    ignored = {(row.model, row.task, column) for row, column in made.unsupported}
    assert ignored == {
        (model, "generate", column)
        for model in ("gemma", "mistral")
        for column in ("keras3-torch+jit", "keras3-jax+no-jit")
    }
    assert plan(models={"gemma": tasks}, columns=["keras3-torch"]).unsupported == {}


def test_every_way_of_a_model_is_in_the_study_and_no_other_is_measured():
    made = plan(**{**STUDY, "scale": "smoke"})
    measured = {}
    for run in made.runs:
        measured.setdefault(run.row.model, set()).add(run.column.way)
    models = ("mas_host", "csv_parse", "augment")
    assert measured == {model: {*Models([]).load(model).ways["host"]} for model in models}
    assert unsupported(made)["csv_parse", "predict", "host+numba"] == (
        "its model has no such way on host"
    )


def test_a_net_is_not_measured_without_a_framework_nor_an_operation_with_one(gpus):
    columns = ["keras2-tensorflow", "pytorch-eager", "host"]
    made = plan(models={**BERT, "augment": {"predict": "default"}}, columns=columns)
    cells = {(run.row.model, run.column.name) for run in made.runs}
    assert cells == {("bert", "keras2-tensorflow"), ("bert", "pytorch-eager"), ("augment", "host")}
    # An operation alone is not measured on a GPU either, but on a CPU beside columns that are.
    gpus(A100)
    operations = {"accelerator": "cuda", "models": STUDY["models"]}
    assert {*plan(columns=["host"], **operations).unsupported.values()} == {NO_FRAMEWORK}
    beside = plan(columns=[{"framework": "host", "accelerator": "cpu"}], **operations)
    assert {run.column.accelerator for run in beside.runs} == {"cpu"}


WAYS = of("pytorch-eager", "framework", "native", "callback", "triton")
HOST = of("host", "python", "numba", "ctypes", "cython", "polars")


@pytest.mark.parametrize(
    ("file", "columns", "expected"),
    [
        ("native/operations.h", WAYS, {"native", "callback"}),
        ("native/mas_torch.cpp", WAYS, {"native"}),
        ("native/mas_c.c", WAYS, {"callback"}),
        ("native/operations.h", HOST, {"ctypes", "cython"}),
        ("models/mas_host/by_numba.py", HOST, {"numba"}),
        ("models/mas_host/by_python.py", HOST, {""}),  # the default way of host
        ("models/csv_parse/by_polars.py", HOST, {"polars"}),
    ],
)
def test_what_is_written_for_one_way_measures_that_way_again(remeasured, file, columns, expected):
    """No import statement names these files."""
    models = STUDY["models"] if columns is HOST else ALIGNER
    found = remeasured(f"measure/{file}", models=models, columns=columns)
    assert {column.partition("+")[2] for _, column in found} == expected
