"""The live device is the accelerator asked for, in both directions; else the run is no number."""

import json
import shutil

import pytest

from millistep.supervise import controls, parent
from millistep.supervise.ending import of_process

from ..models.libraries import interpreter_of
from ..nets import NETS
from ..planning.test_config import plan
from .conftest import ENVIRONMENT, identity, measured

NO_GPU = not shutil.which("nvidia-smi")


def test_another_device_than_the_one_asked_for_is_no_number_in_either_direction(run):
    for asked, found in (("cuda", "cpu"), ("cpu", "cuda")):
        record = run(changes={"accelerator": asked, "device": "auto"}, lives_on=found)
        assert record["status"] == "unsupported"
        assert record["reason"] == f"{asked} was requested, fake 1 computes on {found}"
        assert record["timing"] is None


@pytest.mark.skipif(not NO_GPU, reason="there is a GPU here")
def test_a_reference_workload_that_falls_back_to_the_processor_is_found_out_too(tmp_path):
    wanted = {**json.loads(identity()), "accelerator": "cuda", "device": "auto", "library": "jax"}
    environment = {**ENVIRONMENT, "interpreter": interpreter_of(NETS["keras3-jax"])}
    job = parent.Job(json.dumps(wanted), environment, tmp_path / "log", 120, 20_000)
    with parent.supervised(controls.REFERENCE, {"part_s": 0.01}, job) as child:
        child.until("done")
    found, reason = of_process(child.ending())
    assert found == "unsupported"
    assert reason.startswith("cuda was requested, jax ")
    assert child.reported("matmul", "products") is None


@pytest.mark.skipif(not NO_GPU, reason="there is a GPU here")
@pytest.mark.parametrize(
    ("framework", "words"),
    [
        ("keras3-jax", "cuda was requested, jax {} computes on cpu"),
        ("keras3-tensorflow", "cuda was requested, tensorflow {} (built without CUDA) computes"),
        ("keras3-torch", "cuda was requested, torch {} computes on cpu"),
        ("pytorch-eager", "cuda was requested: AssertionError: Torch not compiled with CUDA"),
    ],
)
def test_real_libraries_that_fall_back_to_the_processor_are_found_out(framework, words, tmp_path):
    asked = {"columns": [framework], "models": {"bert": {"predict": 2}}, "accelerator": "cuda"}
    (run,) = plan(here=False, threads=1, **asked).runs
    marker = {**ENVIRONMENT, "interpreter": interpreter_of(NETS[framework])}
    marker["definition_sha256"] = json.loads(run.identity)["environment"]
    record = measured(tmp_path, run.identity, marker, limits=(120, 20_000))
    packages = record["environment"]["packages"]
    library = framework.partition("-")[2].replace("tensorflow", "tensorflow-cpu")
    assert record["status"] == "unsupported"
    assert record["reason"].startswith(words.format(packages.get(library)))
    assert "\n" not in record["reason"]
    assert record["timing"] is None
