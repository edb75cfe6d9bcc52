"""Variants of a model are rows of their own, and the study that compares devices by them."""

import json

import pytest
import yaml

from supervise import processors

from ..measure.nvidia_smi import A100
from .test_config import ROOT, plan

STUDY = yaml.safe_load((ROOT / "config/studies/cpu_against_gpu.yaml").read_text())
NETS = {"mnist_dense": {"fit": 8}}
WITH_A_VARIANT = {**NETS, "mnist_dense_w75": {"fit": 8}}


def of_model(made, model):
    return {run.record: run.identity for run in made.runs if run.row.model == model}


def test_a_variant_is_a_row_built_by_the_models_builders():
    made = plan(models=WITH_A_VARIANT, columns=["keras3-jax"])
    (path,) = of_model(made, "mnist_dense_w75")
    assert path == "results/records/smoke/mnist_dense_w75/fit-b8/keras3-jax/run1.json"
    own, base = (
        json.loads(*of_model(made, model).values()) for model in ("mnist_dense_w75", "mnist_dense")
    )
    assert own["variant_of"] == "mnist_dense" and "variant_of" not in base
    assert own["sources"] == base["sources"]
    assert own["architecture"]["hidden"] == [75, 25] and own["parameters"] == 61_035
    models = made.document()["models"]
    assert models["mnist_dense_w75"]["variant_of"] == "mnist_dense"
    assert models["mnist_dense_w75"]["full_size"] and "full_size" not in models["mnist_dense"]


def test_a_variant_leaves_the_other_rows_as_they_are():
    before, after = (plan(models=models, seed=3) for models in (NETS, WITH_A_VARIANT))
    assert of_model(before, "mnist_dense") == of_model(after, "mnist_dense")


@pytest.fixture
def study():
    def made(**changes):
        return plan(**{**STUDY, "scale": "auto", "accelerator": "auto", **changes})

    return made


def test_both_devices_have_the_same_environment_and_precision(study, gpus):
    gpus(A100)
    made = study()
    assert made.unsupported == {} and made.scale == "paper"
    by_framework = {}
    for column in made.columns:
        by_framework.setdefault(column.framework.name, []).append(column)
    for cpu, cuda in by_framework.values():
        assert (cpu.accelerator, cuda.accelerator) == ("cpu", "cuda")
        assert made.environment_of(cpu) == made.environment_of(cuda)
        assert made.environment_of(cpu).definition.parent.name == "cuda"
        assert {**cpu.settings, "accelerator": "cuda"} == cuda.settings
        assert cpu.precision == "float32"
    assert len(by_framework) == 5


def test_without_a_gpu_the_processors_half_is_measured_in_the_processors_environment(study, gpus):
    gpus(broken=True)
    made = study()
    assert {c.name for c in made.measurable} == {c.name for c in made.columns[::2]}
    assert set(made.unsupported.values()) == {"no NVIDIA GPU was found here"}
    assert {env.definition.parent.name for env in made.environments} == {"cpu"}
    assert made.scale == "laptop"
    assert all(model["full_size"] for model in made.document()["models"].values())


def test_the_study_uses_every_physical_core(study, monkeypatch):
    monkeypatch.setattr(processors, "cores", lambda *_: [[0, 4], [1, 5], [2, 6], [3, 7]])
    monkeypatch.setattr(processors, "_quota", lambda *_: float("inf"))
    assert {column.threads for column in study().columns} == {4}
    assert {column.threads for column in study(threads="auto").columns} == {3}
