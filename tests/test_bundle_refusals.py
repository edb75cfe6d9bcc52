"""What run_bundle.py refuses before it runs anything, and in which words."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from supervise import jobs, preconditions
from tests.bundle_kit import THIS, Kit, fake_kit
from tests.measure import nvidia_smi


@pytest.fixture
def kit(tmp_path):
    return fake_kit(tmp_path / "kit")


def fake_python(folder: Path, version: str) -> Path:
    """A program that says of itself that it is some Python."""
    path = folder / f"python{version}"
    facts = json.dumps({"prefix": "/x", "python": version, "packages": {}})
    path.write_text(f"#!/bin/sh\necho '{facts}'\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--interpreter", "torch=python3"], ["'torch'", "keras3-jax, pytorch-eager", "pytorch"]),
        (["--interpreter", "pytorch"], ["'pytorch'", "NAME=PATH"]),
        (["--interpreter", "pytorch="], ["'pytorch='", "NAME=PATH"]),
        ([*THIS, "--interpreter", "pytorch=python3"], ["'pytorch'", "twice"]),
        (["--interpreter", "pytorch=/no/such"], ["pytorch", "'/no/such'"]),
        (["--interpreter", "pytorch=/bin/false"], ["pytorch", "/bin/false", "Python"]),
        (["--interpreter", "pytorch={old}"], ["pytorch", "Python 3.10.4", "3.11 or later"]),
        ([*THIS, "--only", "bort/*"], ["--only", "bort/*", "bert/fit-b4/keras3-jax/run1"]),
        ([*THIS, "--stop-after-s", "20"], ["--stop-after-s", "20"]),
        ([*THIS, "--monitor-interpreter", "/no/such"], ["--monitor-interpreter", "/no/such"]),
        ([*THIS, "--monitor-interpreter", "/bin/false"], ["/bin/false", "psutil"]),
    ],
)
def test_a_bad_option_is_refused_in_one_line(kit, tmp_path, arguments, words):
    old = fake_python(tmp_path, "3.10.4")
    arguments = [argument.replace("{old}", str(old)) for argument in arguments]
    line = kit.refused(*arguments)
    for word in words:
        assert word in line


@pytest.mark.parametrize("seconds", ["-1", "0", "soon", "inf", "nan"])
def test_a_time_is_a_number_above_0(kit, seconds):
    status, said = kit.run(*THIS, "--time-limit-s", seconds)
    assert status == 2
    assert f"'{seconds}' is not a number of seconds" in said


def test_a_machine_with_too_few_processors_is_refused(tmp_path):
    kit = Kit(tmp_path / "kit", threads=10_000)
    line = kit.refused(*THIS)
    assert "10000 threads" in line
    assert f"--config threads={len(os.sched_getaffinity(0))}" in line


def test_a_gpu_that_the_other_machine_does_not_have_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", nvidia_smi.install(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    cuda = {"accelerator": "cuda", "scale": "smoke", "here": False}
    line = Kit(tmp_path / "kit", device=1, **cuda).refused(*THIS)
    assert "device: 1 is not a visible GPU" in line


def test_no_run_is_pinned_to_fewer_processors_than_it_has_threads(tmp_path):
    options = argparse.Namespace(environment=tmp_path / "marker.json")
    with pytest.raises(preconditions.Refused, match="10000 threads"):
        jobs.provide(options, {"threads": 10_000}, tmp_path / "record.json")


def test_a_bundle_that_is_not_whole_is_refused(kit):
    (kit.folder / "bundle.json").write_text('{"schema"')
    assert "bundle.json" in kit.refused(*THIS)


def test_an_old_python_is_told_in_one_line(kit):
    program = "import sys; sys.version_info = (3, 10, 4); exec(open(sys.argv[1]).read())"
    command = [sys.executable, "-c", program, str(kit.folder / "run_bundle.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("millistep: Python 3.11 or later is needed")
    assert len(done.stderr.splitlines()) == 1
