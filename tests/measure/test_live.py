"""The device is the accelerator's, in both directions, or the run says so and is no number."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from contract.ending import Ending, of_process
from deploy.environments import virtual_interpreter
from measure.conformance import WrongDevice, check_device
from planning.frameworks import frameworks
from planning.models import Models
from supervise import canary, jobs, parent

from ..models.libraries import cell
from .conftest import SCHEMA, identity

ROOT = Path(__file__).parents[2]
NO_GPU = subprocess.run(["sh", "-c", "command -v nvidia-smi"], capture_output=True).returncode


def test_another_device_than_the_one_asked_for_is_no_number_in_either_direction(run):
    for asked, found in (("cuda", "cpu"), ("cpu", "cuda")):
        record = run(changes={"accelerator": asked, "device": "auto"}, lives_on=found)
        assert record["status"] == "unsupported"
        assert record["reason"] == f"{asked} was asked for, fake 1 computes on {found}"
        assert record["timing"] is None
        jsonschema.validate(record, SCHEMA)


def test_the_card_of_a_run_on_a_gpu_has_the_versions_that_are_loaded(run, plain):
    cuda = {"accelerator": "cuda", "device": "auto"}
    card = run(changes=cuda)["parity"]
    assert (card["cuda_version"], card["cudnn_version"]) == (None, None)  # nothing loaded any
    assert not {"cuda_version", "cudnn_version"} & set(plain["parity"])


def test_a_library_that_fails_where_there_is_no_device_says_so_in_one_line():
    def live():
        raise RuntimeError("Found no NVIDIA driver on your system.\nPlease check")

    with pytest.raises(WrongDevice) as failure:
        check_device("cuda", live)
    words = "cuda was asked for: RuntimeError: Found no NVIDIA driver on your system."
    assert str(failure.value) == words
    failed = {"type": "WrongDevice", "message": words}
    assert of_process(Ending(done=False, exit_code=1, failure=failed)) == ("unsupported", words)


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("RuntimeError", "Unable to initialize backend 'cuda': no driver", "unsupported"),
        ("RuntimeError", "The NVIDIA driver on your system is too old (12040)", "unsupported"),
        ("RuntimeError", "CUDA error: an illegal memory access was encountered", "error"),
        ("OutOfMemoryError", "CUDA out of memory.", "oom"),
    ],
)
def test_a_device_that_cannot_be_used_is_told_from_one_that_failed(kind, message, expected):
    failed = {"type": kind, "message": message}
    assert of_process(Ending(done=False, exit_code=1, failure=failed))[0] == expected


def real(framework, accelerator, folder):
    """The record of BERT at smoke by a real library, in the environment without CUDA."""
    asked = cell("bert", framework, "predict", "smoke", batch_size=2, accelerator=accelerator)
    name = frameworks([])[framework].environment
    definition = ROOT / "envs/2026-11/cpu" / f"{name}.yaml"
    interpreter = virtual_interpreter(name, definition, None, name)
    environment = {
        "name": name,
        "method": "interpreter",
        "definition_sha256": "0" * 64,
        "interpreter": interpreter,
        "prefix": sys.prefix,
        "python": "",
        "packages": {},
    }
    changes = {
        "accelerator": accelerator,
        "device": "auto",
        "column": framework,
        "framework": framework,
        "library": frameworks([])[framework].library,
        "module": frameworks([])[framework].module,
        "model": "bert",
        "task": "predict",
        "parameters": Models([]).load("bert").tasks["predict"]["parameters"]["smoke"],
        "trains": "nothing",
        "probes": [],
    }
    whole = {**json.loads(identity(changes=changes)), "architecture": asked.architecture}
    record, log = folder / "run1.json", folder / "run1.log"
    parent.run(json.dumps(whole), environment, record, log, 120, 20_000)
    return json.loads(record.read_text())


@pytest.mark.skipif(not NO_GPU, reason="there is a GPU here")
def test_a_canary_that_falls_back_to_the_processor_is_found_out_too(tmp_path):
    definition = ROOT / "envs/2026-11/cpu/keras3-jax.yaml"
    interpreter = virtual_interpreter("keras3-jax", definition, None, "keras3-jax")
    wanted = {**json.loads(identity()), "accelerator": "cuda", "device": "auto"}
    wanted |= {"library": "jax", "part_s": 0.01}
    environment = {"method": "interpreter", "interpreter": interpreter, "prefix": "", "name": "x"}
    environment["definition_sha256"] = wanted["environment"]
    options = argparse.Namespace(log=tmp_path / "log", memory_limit_mib=20_000)
    task = {"part_s": wanted["part_s"]}
    child = jobs.supervised(canary.PROGRAM, task, wanted, environment, options, 120)
    found, reason = of_process(child.ending())
    assert found == "unsupported"
    assert reason.startswith("cuda was asked for, jax ")
    assert child.reported("matmul", "products") is None


@pytest.mark.skipif(not NO_GPU, reason="there is a GPU here")
@pytest.mark.parametrize(
    ("framework", "words"),
    [
        ("keras3-jax", "cuda was asked for, jax {} computes on cpu"),
        ("keras3-tensorflow", "cuda was asked for, tensorflow {} (built without CUDA) computes"),
        ("keras3-torch", "cuda was asked for, torch {} computes on cpu"),
        ("pytorch-eager", "cuda was asked for: AssertionError: Torch not compiled with CUDA"),
    ],
)
def test_real_libraries_that_fall_back_to_the_processor_are_found_out(framework, words, tmp_path):
    record = real(framework, "cuda", tmp_path)
    packages = record["environment"]["packages"]
    library = framework.partition("-")[2].replace("tensorflow", "tensorflow-cpu")
    assert record["status"] == "unsupported"
    assert record["reason"].startswith(words.format(packages.get(library)))
    assert "\n" not in record["reason"]
    assert record["timing"] is None
