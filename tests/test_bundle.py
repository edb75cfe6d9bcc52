"""run_bundle.py with programs that measure nothing: what it runs, when, and what it packs."""

import itertools
import json
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from bundle import steps
from tests.bundle_kit import THIS, Kit, fake_kit
from tests.measure import nvml
from tests.shared import gone, put, succeed


@pytest.fixture
def kit(tmp_path):
    return fake_kit(tmp_path / "kit")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A bundle that ran to its end, with a variable that no run will see."""
    kit = fake_kit(tmp_path_factory.mktemp("whole") / "kit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XLA_FLAGS", "--x")
        status, kit.said = kit.run(*THIS)
    assert status == 0, kit.said
    return kit


def test_everything_is_run_in_the_planned_order_and_nothing_twice(whole):
    assert whole.paths() == whole.order
    assert whole.run(*THIS)[0] == 0
    assert whole.paths() == whole.order
    (node,) = {session["node"] for session in whole.sessions()}
    about = {"results/elsewhere.json", f"results/machines/{node}.json"}
    assert {*whole.order, *about, *(block["path"] for block in whole.blocks)} < whole.packed()


def test_a_canary_lies_between_two_blocks_and_belongs_to_both(whole):
    canaries = [session["canaries"]["cpu"] for session in whole.sessions()]
    assert [session["ended"] for session in whole.sessions()] == ["done"] * len(whole.blocks)
    for one, next_one in itertools.pairwise(canaries):
        assert one["after"] == next_one["before"]
    measured = {str(c[when]) for c in canaries for when in ("before", "after")}
    assert len(measured) == len(whole.blocks) + 1


def test_what_interpreters_lack_and_no_run_will_see_is_said_before_anything_is_measured(whole):
    lines = whole.said.splitlines()
    first, second = (line for line in lines if "of its lock are not there" in line)
    assert first.startswith("keras3-jax: ") and " jax, " in first and "numpy" not in first
    # A lock has a package for each kind of machine; this one needs one of them.
    assert len({"tensorflow", "tensorflow-cpu"} & set(re.split("[:,]? ", first))) == 1
    assert second.startswith("pytorch: ") and " torch, " in second and "nvidia-" not in second
    (third,) = (line for line in lines if "not passed on" in line)
    assert "XLA_FLAGS" in third
    assert max(map(whole.said.index, (second, third))) < whole.said.index("known_steps")


def test_nothing_that_is_packed_names_the_folder(whole):
    archive = zipfile.ZipFile(whole.folder / "records.zip")
    texts = [archive.read(name).decode() for name in archive.namelist()]
    assert not any(str(whole.folder) in text or sys.prefix in text for text in texts)
    about = json.loads(archive.read("results/environments/2026-11/cpu/pytorch.json"))
    assert about["interpreter"].startswith("<path>/") or about["interpreter"].startswith("<cache>/")


def test_columns_without_an_interpreter_are_left_out_with_their_library(kit):
    jax = THIS[:2]
    assert kit.run(*jax)[0] == 0
    wanted = [p for p in kit.order if "pytorch" not in p]
    assert kit.paths() == wanted
    assert {json.loads(call["--identity"])["framework"] for call in kit.calls()} == {"keras3-jax"}
    # A later start has all interpreters.
    assert kit.run(*THIS)[0] == 0
    rest = kit.paths()[len(wanted) :]
    assert rest == [p for p in kit.order if "pytorch" in p]


def test_a_framework_of_its_own_counts_for_more_than_its_environment(kit):
    status, said = kit.run(*THIS, "--interpreter", f"pytorch-compiled={sys.executable}")
    assert status == 0, said
    runs = [call for call in kit.calls() if "--record" in call]
    markers = {call["path"].split("/")[-2]: call["--environment"] for call in runs}
    assert markers["pytorch-eager"] == "results/environments/2026-11/cpu/pytorch.json"
    assert markers["pytorch-compiled"] == "results/environments/2026-11/cpu/pytorch-compiled.json"
    found = json.loads((kit.folder / markers["pytorch-eager"]).read_text())
    assert (found["method"], found["interpreter"]) == ("interpreter", sys.executable)
    assert "pytest" in found["packages"]


def test_a_choice_of_runs_keeps_canaries_and_order(kit):
    chosen = ("--only", "bert/fit-b4/*/run1", "--only", "*/pytorch-eager/run2")
    assert kit.run(*THIS, *chosen)[0] == 0
    wanted = [
        path
        for path in kit.order
        if path.endswith("known_steps.json")
        or path.endswith("/pytorch-eager/run2.json")
        or ("fit-b4" in path and "run1" in path)
    ]
    assert kit.paths() == wanted


def test_it_ends_in_time_and_packs_what_there_is(kit):
    kit.tell("hang", "/run2.json")
    start = time.monotonic()
    status, said = kit.run(*THIS, "--stop-after-s", "24")
    assert time.monotonic() - start < 24
    assert status == 0
    assert "the time is over" in said
    order = kit.order
    done = [path for path in order if (kit.folder / path).exists()]
    assert done == order[: len(done)]
    assert kit.packed() & {*order} == {*done}
    assert not any("/run2.json" in path for path in done)
    kit.tell("do", "nothing")
    assert kit.run(*THIS)[0] == 0
    assert kit.packed() > {*order}


def test_what_kills_everything_twice_is_said_to_be_killed(kit):
    victim = "/fit-b4/keras3-jax/run1.json"
    kit.tell("hang", victim)
    for _ in range(2):
        process = kit.start(*THIS)
        hanging = kit.wait_for(victim)
        process.kill()
        process.wait(10)
        assert gone(hanging["pid"])
        (kit.folder / "calls").write_text("")
    assert kit.run(*THIS)[0] == 0
    attempts = [call["--attempt"] for call in kit.calls() if victim in call["path"]]
    assert set(attempts[:1]) == {"2"}
    assert kit.packed() > {*kit.order}


def test_two_at_a_time_would_measure_each_other(kit):
    kit.tell("hang", "before-")
    process = kit.start(*THIS)
    kit.wait_for("before-")
    status, said = kit.run(*THIS)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM
    assert status == 1
    assert "another run_bundle.py is measuring here" in said


def test_a_bundle_holds_all_that_its_programs_import_but_the_standard_library(tmp_path):
    kit = Kit(tmp_path / "whole")
    modules = "bundle.command, supervise.cell, supervise.canary, supervise.known_steps, "
    modules += "supervise.self_test"
    program = f"import sys; sys.path.insert(0, 'workflow'); import {modules}, machine_card.__main__"
    command = [sys.executable, "-I", "-S", "-c", program]
    succeed(command, cwd=kit.folder)


def fake_python(folder: Path, version: str) -> Path:
    """A program that says that it is a Python of this version."""
    facts = json.dumps({"prefix": "/x", "python": version, "packages": {}})
    return put(folder / f"python{version}", f"#!/bin/sh\necho '{facts}'\n", program=True)


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
    ],
)
def test_a_bad_option_is_refused_in_one_line(kit, tmp_path, arguments, words):
    old = fake_python(tmp_path, "3.10.4")
    arguments = [argument.replace("{old}", str(old)) for argument in arguments]
    line = kit.refused(*arguments)
    for word in words:
        assert word in line


def test_a_gpu_that_the_other_machine_does_not_have_is_refused(tmp_path, gpus):
    gpus(nvml.A100)
    cuda = {"accelerator": "cuda", "scale": "smoke", "here": False}
    line = Kit(tmp_path / "kit", device=1, **cuda).refused(*THIS)
    assert "device: 1 is not a visible GPU" in line


def test_an_interpreter_of_a_column_without_runs_is_told_in_one_line(tmp_path):
    reason = {"model": "bert", "column": "pytorch-compiled", "reason": "no compiler here"}
    kit = Kit(tmp_path / "kit", unsupported=[reason])
    line = kit.refused("--interpreter", f"pytorch-compiled={sys.executable}")
    assert line.endswith("--interpreter: this bundle has no run of pytorch-compiled")


def test_an_old_python_is_told_in_one_line(kit):
    program = "import sys; sys.version_info = (3, 10, 4); exec(open(sys.argv[1]).read())"
    command = [sys.executable, "-c", program, str(kit.folder / "run_bundle.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("millistep: Python 3.11 or later is needed")
    assert len(done.stderr.splitlines()) == 1


def test_a_run_that_lacked_a_package_is_measured_again_with_another_interpreter(tmp_path):
    file = steps.File("identity", None, str(tmp_path / "run1.json"))
    failed = {"identity": "identity", "reason": "ValueError: no"}
    for content, done in (
        (failed, True),
        ({**failed, "reason": "missing package, ModuleNotFoundError: No module named 'x'"}, False),
        ({**failed, "identity": "another"}, False),
        (["no", "record"], False),
    ):
        put(tmp_path / "run1.json", json.dumps(content))
        assert file.is_done() == done
