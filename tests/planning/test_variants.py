"""Variants of a model, and the study of CPU against GPU."""

import json

import yaml

from millistep.supervise import machine, processors

from ..measure.nvml import A100
from ..shared import SMALL_NETS
from . import records
from .test_config import BERT, ROOT, plan

STUDY = yaml.safe_load((ROOT / "studies/cpu_against_gpu/cpu_against_gpu.yaml").read_text())
NETS = {"mnist_dense": {"fit": 8, "predict": 8}, "mnist_dense_w75": {"fit": 8}, **BERT}
RECORD = "results/records/smoke/{}/fit-b8/keras3-jax/run1.json"


def identities(**changes):
    made = plan(models=NETS, columns=["keras3-jax"], runs=2, folders=[SMALL_NETS], **changes)
    return made, {path: json.loads(text) for path, text in records.identities(made).items()}


def test_a_variant_is_a_row_built_by_the_models_builders():
    made, found = identities()
    own, base = (found[RECORD.format(model)] for model in ("mnist_dense_w75", "mnist_dense"))
    assert own["builders"] == base["builders"] == "classifier"
    assert own["files"] == base["files"] != ""
    assert own["architecture"]["hidden"] == [75, 25] and own["parameters"] == 61_035
    models = made.document()["models"]
    assert models["mnist_dense_w75"]["variant_of"] == "mnist_dense"
    assert models["mnist_dense_w75"]["full_size"] and "full_size" not in models["mnist_dense"]


def study(**changes):
    found = {**STUDY, "scale": "auto", "accelerator": "auto", "folders": [SMALL_NETS]}
    return plan(**{**found, **changes})


def test_both_devices_have_the_same_environment_and_precision(gpus):
    gpus(A100)
    made = study()
    assert made.unsupported == {} and made.scale == "paper"
    by_framework = {}
    for column in made.columns:
        by_framework.setdefault(column.framework.name, []).append(column)
    for cpu, cuda in by_framework.values():
        assert made.environment_of(cpu) == made.environment_of(cuda)
        assert made.environment_of(cpu).definition.parent.name == "cuda"
        assert cpu.settings["accelerator"] == "cpu" and cpu.precision == "float32"
        assert {**cpu.settings, "accelerator": "cuda"} == cuda.settings
    assert len(by_framework) == 5


def test_without_a_gpu_the_processors_half_is_measured_in_the_processors_environment(gpus):
    gpus(broken=True)
    made = study()
    assert {c.name for c in made.measurable} == {c.name for c in made.columns[::2]}
    assert set(made.unsupported.values()) == {"no NVIDIA GPU was found here"}
    assert {env.definition.parent.name for env in made.environments} == {"cpu"}
    assert made.scale == "laptop"
    assert all(model["full_size"] for model in made.document()["models"].values())


def test_the_study_uses_every_physical_core(monkeypatch):
    monkeypatch.setattr(processors, "cores", lambda *_: [[0, 4], [1, 5], [2, 6], [3, 7]])
    monkeypatch.setattr(machine, "processor_time", lambda *_: None)
    assert {column.threads for column in study().columns} == {4}
    assert {column.threads for column in study(threads="auto").columns} == {3}
