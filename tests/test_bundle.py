"""run_bundle.py with programs that measure nothing: what is run, when, and what is said."""

import argparse
import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from planning import write_bundle
from supervise import jobs, preconditions

from .measure import nvidia_smi
from .planning.test_config import plan

COLUMNS = ["keras3-jax", "pytorch-eager", "pytorch-compiled"]
CONFIG = {
    "models": {"bert": {"fit": 4, "predict": 8}},
    "columns": COLUMNS,
    "runs": 2,
    "threads": 1,
}
THIS = (
    "--interpreter",
    f"keras3-jax={sys.executable}",
    "--interpreter",
    f"pytorch={sys.executable}",
)
# In the place of the programs that measure: it says that it was called, and does as told.
FAKE = """
import json, os, signal, sys, time
from pathlib import Path

if sys.argv[1] == "self_test":  # puts together what is there
    sys.path[0] = str(Path(__file__).parents[1])
    from supervise import self_test

    del sys.argv[1]
    sys.exit(self_test.main())
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
output = Path(options.get("--record") or options["--output"])
with open("calls", "a") as calls:
    print(json.dumps({"path": str(output), "pid": os.getpid(), **options}), file=calls)
told = Path("told").read_text().split() if Path("told").exists() else ("do", "nothing")
if told[1] in str(output) and options["--attempt"] == "1":
    if told[0] == "hang":
        time.sleep(600)
    if told[0] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if told[0] == "refuse":
        sys.exit("millistep: not measured")
output.parent.mkdir(parents=True, exist_ok=True)
status = "ok" if sys.argv[1] == "canary" else "error"
output.write_text(json.dumps({"identity": options["--identity"], "status": status}))
"""


class Kit:
    """An unpacked bundle."""

    def __init__(self, folder: Path, **config):
        self.folder = folder
        archive = folder.with_suffix(".zip")
        write_bundle.write(plan(**{**CONFIG, **config}), archive)
        zipfile.ZipFile(archive).extractall(folder)
        self.bundle = json.loads((folder / "bundle.json").read_text())

    def start(self, *arguments) -> subprocess.Popen:
        command = [sys.executable, str(self.folder / "run_bundle.py"), *arguments]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd="/")

    def run(self, *arguments, timeout=60) -> tuple[int, str]:
        """Exit status and what was said."""
        process = self.start(*arguments)
        try:
            _, said = process.communicate(timeout=timeout)
        finally:
            process.kill()
        return process.returncode, said

    def refused(self, *arguments) -> str:
        """The one line with which it ends."""
        status, said = self.run(*arguments)
        lines = [line for line in said.splitlines() if line.startswith("millistep: ")]
        assert (status, len(lines)) == (1, 1), said
        assert "Traceback" not in said
        assert self.calls() == []
        return lines[0]

    def tell(self, what: str, where: str) -> None:
        """Have the programs do something with the files whose path has a text in it."""
        (self.folder / "told").write_text(f"{what} {where}")

    def calls(self) -> list[dict]:
        """Options of the programs that were run."""
        file = self.folder / "calls"
        return list(map(json.loads, file.read_text().splitlines())) if file.exists() else []

    def paths(self) -> list[str]:
        """What was written, but for canaries."""
        return [call["path"] for call in self.calls() if "canary" not in call["path"]]

    @property
    def order(self) -> list[str]:
        """Records and known steps, as they are planned."""
        runs = [(block["round"], run["record"]) for block in self.blocks for run in block["runs"]]
        first = [record for number, record in runs if number == 1]
        later = [record for number, record in runs if number > 1]
        return [*first, self.bundle["known_steps"]["path"], *later]

    @property
    def blocks(self) -> list[dict]:
        return self.bundle["blocks"]

    def sessions(self) -> list[dict]:
        """Of all blocks, in their order."""
        files = [self.folder / block["path"] for block in self.blocks]
        return [s for f in files if f.exists() for s in json.loads(f.read_text())["sessions"]]

    def wait_for(self, path: str) -> dict:
        """The last call, once it is for a path with this text in it."""
        for _ in range(600):
            if (calls := self.calls()) and path in calls[-1]["path"]:
                return calls[-1]
            time.sleep(0.05)
        raise AssertionError(f"{path} was not started: {self.paths()}")

    def packed(self) -> set[str]:
        return set(zipfile.ZipFile(self.folder / "records.zip").namelist())


def ends(pid: int) -> bool:
    """Whether a process is gone soon, or only waits to be forgotten."""
    stat = Path(f"/proc/{pid}/stat")
    for _ in range(200):
        with contextlib.suppress(FileNotFoundError):
            if stat.read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.05)
                continue
        return True
    return False


@pytest.fixture
def kit(tmp_path):
    kit = Kit(tmp_path / "kit")
    (kit.folder / "workflow/supervise/__main__.py").write_text(FAKE)
    return kit


def test_everything_is_run_in_the_planned_order_and_nothing_twice(kit):
    assert kit.run(*THIS)[0] == 0
    assert kit.paths() == kit.order
    assert kit.run(*THIS)[0] == 0
    assert kit.paths() == kit.order
    (node,) = {session["node"] for session in kit.sessions()}
    about = {"results/elsewhere.json", f"results/machines/{node}.json"}
    assert {*kit.order, *about, *(block["path"] for block in kit.blocks)} < kit.packed()


def test_a_canary_lies_between_two_blocks_and_belongs_to_both(kit):
    assert kit.run(*THIS)[0] == 0
    canaries = [session["canaries"]["cpu"] for session in kit.sessions()]
    assert [session["ended"] for session in kit.sessions()] == ["done"] * len(kit.blocks)
    for one, next_one in itertools.pairwise(canaries):
        assert one["after"] == next_one["before"]
    assert sum("canary" in call["path"] for call in kit.calls()) == len(kit.blocks) + 1


def test_columns_without_an_interpreter_are_left_out_with_their_library(kit):
    jax = THIS[:2]
    assert kit.run(*jax)[0] == 0
    wanted = [p for p in kit.order if "pytorch" not in p]
    assert kit.paths() == wanted
    assert {json.loads(call["--identity"])["framework"] for call in kit.calls()} == {"keras3-jax"}
    # Later with all.
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


def test_what_an_interpreter_lacks_is_said_before_anything_is_measured(kit):
    status, said = kit.run(*THIS)
    assert status == 0
    first, second = (line for line in said.splitlines() if "of its lock are not there" in line)
    assert first.startswith("keras3-jax: ") and " jax, " in first and "numpy" not in first
    assert second.startswith("pytorch: ") and " torch, " in second and "nvidia-" not in second
    assert said.index(second) < said.index("known_steps")


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


def test_an_interrupt_leaves_no_process_and_goes_on_where_it_was(kit):
    kit.tell("hang", "/keras3-jax/run1.json")
    process = kit.start(*THIS)
    hanging = kit.wait_for("/keras3-jax/run1.json")
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert "Traceback" not in process.stderr.read()
    assert ends(hanging["pid"])
    before = len(kit.paths())
    kit.tell("do", "nothing")
    assert kit.run(*THIS)[0] == 0
    assert kit.paths()[before:] == kit.order[before - 1 :]


def test_what_kills_everything_twice_is_said_to_be_killed(kit):
    victim = "/fit-b4/keras3-jax/run1.json"
    kit.tell("hang", victim)
    for _ in range(2):
        process = kit.start(*THIS)
        hanging = kit.wait_for(victim)
        process.kill()
        process.wait(10)
        assert ends(hanging["pid"])
        (kit.folder / "calls").write_text("")
    assert kit.run(*THIS)[0] == 0
    attempts = [call["--attempt"] for call in kit.calls() if victim in call["path"]]
    assert set(attempts[:1]) == {"2"}
    assert kit.packed() > {*kit.order}


def test_a_supervisor_that_is_killed_says_so_in_its_second_attempt(kit):
    kit.tell("killed", "/fit-b4/keras3-jax/run1.json")
    assert kit.run(*THIS)[0] == 0
    calls = [c for c in kit.calls() if "/fit-b4/keras3-jax/run1.json" in c["path"]]
    assert [call["--attempt"] for call in calls] == ["1", "2"]


def test_what_is_refused_costs_nothing_else(kit):
    kit.tell("refuse", "/fit-b4/keras3-jax/run1.json")
    status, said = kit.run(*THIS)
    assert status == 1
    assert "1 of" in said
    assert kit.paths() == kit.order


def test_two_at_a_time_would_measure_each_other(kit):
    kit.tell("hang", "canary")
    process = kit.start(*THIS)
    kit.wait_for("canary")
    status, said = kit.run(*THIS)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    assert status == 1
    assert "another run_bundle.py is measuring here" in said


def test_nothing_that_is_packed_names_the_folder(kit):
    assert kit.run(*THIS)[0] == 0
    archive = zipfile.ZipFile(kit.folder / "records.zip")
    texts = [archive.read(name).decode() for name in archive.namelist()]
    assert not any(str(kit.folder) in text or sys.prefix in text for text in texts)
    about = json.loads(archive.read("results/environments/2026-11/cpu/pytorch.json"))
    assert about["interpreter"].startswith("<path>/") or about["interpreter"].startswith("<cache>/")


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
    cuda = {"accelerator": "cuda", "scale": "smoke", "threads": 1, "here": False}
    line = Kit(tmp_path / "kit", device=1, **cuda).refused(*THIS)
    assert "device: 1 is not a visible GPU" in line


def test_variables_that_no_run_will_see_are_named(kit, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--x")
    status, said = kit.run(*THIS)
    assert status == 0
    (line,) = (line for line in said.splitlines() if "not passed on" in line)
    assert "XLA_FLAGS" in line


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


def test_a_bundle_holds_all_that_its_programs_import_but_the_standard_library(tmp_path):
    kit = Kit(tmp_path / "whole")
    modules = "bundle.command, supervise.cell, supervise.canary, supervise.known_steps, "
    modules += "supervise.self_test"
    program = f"import sys; sys.path.insert(0, 'workflow'); import {modules}, machine_card.__main__"
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, cwd=kit.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
