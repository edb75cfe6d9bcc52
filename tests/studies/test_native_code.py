"""The study of native code: its files, its reference, and its columns with the real frameworks."""

import importlib
import itertools
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from millistep.measure import models
from millistep.planning.catalog import Models
from tests.measure.nvml import A100
from tests.pipeline.conftest import checkout
from tests.planning.test_config import plan
from tests.shared import ROOT, module_of

STUDY = ROOT / "studies/native_code"
NAMES = ("native_code", "host_operations")
CONFIGS = {name: yaml.safe_load((STUDY / f"{name}.yaml").read_text()) for name in NAMES}
for config in CONFIGS.values():
    del config["study"]  # whose results would have a folder of their own
    config["folders"] = [str(STUDY)]
SMOKE = {"scale": "smoke", "accelerator": "cpu", "threads": 1, "runs": 1}


@pytest.fixture
def of_study(monkeypatch):
    """``of_study("aligner.inputs")``: a module of the study's models."""
    monkeypatch.setattr(models, "__path__", [*models.__path__, str(STUDY / "models")])
    before = {*sys.modules}
    yield lambda name: importlib.import_module(f"millistep.measure.models.{name}")
    for name in {*sys.modules} - before:
        if name.startswith("millistep.measure.models."):
            del sys.modules[name]


def test_each_implementation_that_is_measured_has_its_lines_counted(gpus):
    gpus(A100)
    counted = module_of(STUDY / "lines.py")
    measured = {
        (run.row.model, run.column.framework.name)
        for config in CONFIGS.values()
        for run in plan(**config).runs
    }
    assert measured == {*counted.IMPLEMENTATIONS}
    found = {key: counted.lines(*key) for key in counted.IMPLEMENTATIONS}
    assert found["snake_net", "pytorch-eager"] == 3  # the import, the head and the formula
    assert found["aligner", "pytorch-cpp"] > 2 * found["aligner", "pytorch-eager"] > 20


def test_without_a_gpu_only_its_columns_are_na(gpus):
    gpus(broken=True)
    made = plan(**CONFIGS["native_code"])
    assert {column.name for _, column in made.unsupported} - {"pytorch-compiled+cpu"} == {
        "pytorch-eager+cuda",
        "pytorch-compiled+cuda",
        "pytorch-triton+cuda",
    }
    assert not plan(**CONFIGS["host_operations"]).unsupported


def best_sum(value):
    """Largest sum of a path, of all paths."""
    frames, tokens = value.shape
    steps = itertools.combinations(range(1, frames), tokens - 1)
    paths = (np.searchsorted(at, np.arange(frames), side="right") for at in steps)
    return max(value[np.arange(frames), path].sum() for path in paths)


def test_the_reference_finds_the_best_of_all_paths(of_study):
    inputs = of_study("aligner.inputs")
    value = np.random.default_rng(0).standard_normal((5, 7, 3), dtype=np.float32)
    for item, path in zip(value, inputs.search(value), strict=True):
        assert {*np.diff(path)} <= {0, 1} and (path[0], path[-1]) == (0, 2)
        assert item[np.arange(7), path].sum() == pytest.approx(best_sum(item), abs=1e-5)


@pytest.mark.parametrize("wrong", [lambda x: x + 1, lambda x: x[:1], lambda x: x * np.nan])
def test_a_wrong_result_is_refused(of_study, wrong):
    arrays = of_study("native.arrays")
    expected = np.array([1.0, 2.0])
    arrays.check("output", expected + 1e-9, expected)
    with pytest.raises(arrays.WrongResult, match="output"):
        arrays.check("output", wrong(expected), expected)
    with pytest.raises(arrays.WrongResult):
        arrays.check("path", np.array([1, 2]), np.array([1, 3]), within=9.0)


def test_without_a_compiler_the_reason_names_the_variable(of_study, monkeypatch):
    monkeypatch.setenv("CXX", "/no/such/compiler")
    with pytest.raises(RuntimeError, match=r"no C\+\+ compiler '/no/such/compiler'.* set CXX"):
        of_study("native.compile").shared_library(STUDY / "models/aligner/mas_torch.cpp")


@pytest.mark.parametrize("implementation", ["host_python", "host_numpy"])
def test_parsed_numbers_are_those_of_the_file(of_study, implementation):
    inputs = of_study("csv_parse.inputs")
    sizes = Models([str(STUDY)]).load("csv_parse").architecture["smoke"]
    cell = SimpleNamespace(architecture=sizes, seed=3, batch_size=4)
    parse = of_study(f"csv_parse.{implementation}").operation()
    found = parse(*inputs.operand(cell, 4))
    of_study("native.arrays").check("numbers", found, inputs.expected(cell), 1e-12)


FIT = {model: {"fit": "default"} for model in CONFIGS["native_code"]["models"]}
CPP = {"models": FIT, "columns": ["pytorch-cpp", "keras3-jax-cpp"]}


@pytest.mark.parametrize(("name", "part"), [("native_code", CPP), ("host_operations", {})])
@pytest.mark.timeout(2400)
def test_its_columns_are_measured(tmp_path, name, part):
    """Each builder compares its operation with the reference, so `ok` means equal results."""
    project = checkout(tmp_path / "project")
    project.configure(**{**CONFIGS[name], **part, **SMOKE})
    project.made(*project.planned_records())
    records = project.found()
    assert {r["cell"]["column"]: r["reason"] for r in records if r["status"] != "ok"} == {}
    compilers = {record["cell"]["framework"]: record["parity"]["compiler"] for record in records}
    native = [name for name in compilers if name.endswith(("-cpp", "-cython"))]
    assert native and all("g++" in compilers[name] or "c++" in compilers[name] for name in native)
