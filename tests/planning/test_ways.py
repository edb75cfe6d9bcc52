"""Ways in which a model's operation is written: a setting of a column, and what it is made of."""

import json
import shutil

import pytest

from planning.identity import MEASURE
from planning.models import Models
from planning.unsupported import NO_XLA
from supervise import sources

from .test_config import plan

ALIGNER = {"aligner": {"fit": "default", "predict": "default"}}


def of(framework, *ways):
    return [{"framework": framework, "way": way} for way in ways]


def test_a_way_names_its_column_unless_it_is_the_frameworks_own():
    columns = of("pytorch-eager", "framework", "native", "naive", "callback")
    made = plan(models=ALIGNER, columns=columns)
    names = ["", "+native", "+naive", "+callback"]
    assert [c.name for c in made.columns] == [f"pytorch-eager{name}" for name in names]
    assert made.columns[2].title == "PyTorch (eager), native code, -O3 alone"
    assert made.unsupported == {}
    ways = {run.column.name: json.loads(run.identity)["way"] for run in made.runs}
    assert list(sorted(ways.values())) == ["callback", "framework", "naive", "native"]
    assert all(json.loads(run.identity)["operation"] == "mas" for run in made.runs)


def test_a_way_that_a_model_does_not_have_is_unsupported_and_others_are_measured():
    models = {"bert": {"fit": "default"}, **ALIGNER}
    columns = [*of("keras3-jax", "framework", "native", "triton")]
    made = plan(models=models, columns=columns)
    found = {(row.model, row.task, name): why for (row, name), why in made.unsupported.items()}
    assert found == {
        ("bert", "fit", "keras3-jax+native"): "bert has no native way on keras3-jax",
        ("bert", "fit", "keras3-jax+triton"): "bert has no triton way on keras3-jax",
        ("aligner", "fit", "keras3-jax+triton"): "aligner has no triton way on keras3-jax",
        ("aligner", "predict", "keras3-jax+triton"): "aligner has no triton way on keras3-jax",
    }
    assert len(made.runs) == 5


def test_triton_needs_a_gpu():
    made = plan(models=ALIGNER, columns=of("pytorch-eager", "triton"))
    assert {*made.unsupported.values()} == {"Triton has no driver for processors"}


def test_xla_does_not_compile_an_operator_that_tensorflow_lacks():
    columns = [
        {"framework": framework, "way": way, "jit_compile": True}
        for framework in ("keras3-tensorflow", "keras3-jax")
        for way in ("framework", "native", "callback")
    ]
    made = plan(models={"aligner": {"fit": "default"}}, columns=columns)
    assert {column: reason for (_, column), reason in made.unsupported.items()} == {
        "keras3-tensorflow+jit+native": NO_XLA,
        "keras3-tensorflow+jit+callback": NO_XLA,
    }


def test_a_reason_of_a_model_may_be_about_one_way():
    made = plan(models=ALIGNER, columns=of("pytorch-compiled", "framework", "native"))
    (found,) = made.unsupported.items()
    (row, column), reason = found
    assert (row.task, column) == ("predict", "pytorch-compiled")
    assert reason.startswith("torch.compile unrolls the loop over frames")


def test_a_model_without_ways_has_the_frameworks_alone():
    model = Models([]).load("bert")
    assert model.operation is None and model.ways_on("pytorch-eager") == ["framework"]


def test_keras_2_takes_no_way():
    with pytest.raises(Exception, match="keras2-tensorflow does not take it"):
        plan(models=ALIGNER, columns=of("keras2-tensorflow", "native"))


@pytest.mark.parametrize(
    ("library", "way", "expected"),
    [
        ("torch", "native", {"mas_torch.cpp", "operations.h"}),
        ("torch", "naive", {"mas_torch.cpp", "operations.h"}),
        ("jax", "callback", {"mas_c.c", "operations.h"}),
        ("torch", "framework", set()),
        ("torch", "triton", set()),
        ("tensorflow", None, set()),
    ],
)
def test_c_sources_are_those_of_the_way(library, way, expected):
    found = sources.native(MEASURE, Models([]).load("aligner"), library, way)
    assert {path.name for path in found} == expected
    assert all(path.is_file() for path in found)


def test_a_changed_header_measures_what_is_built_from_it_again_and_nothing_else(tmp_path):
    root = tmp_path / "workflow"
    shutil.copytree(MEASURE, root / "measure", ignore=shutil.ignore_patterns("__pycache__"))
    model = Models([]).load("aligner")

    def digests():
        sources._content.cache_clear()
        return {
            way: sources.digest(root, sources.native(root / "measure", model, "torch", way))
            for way in ("framework", "native", "callback", "triton")
        }

    before = digests()
    header = root / "measure" / "native" / "operations.h"
    header.write_text(header.read_text() + "/* changed */\n")
    after = digests()
    assert {way for way in before if before[way] != after[way]} == {"native", "callback"}
