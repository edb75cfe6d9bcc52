"""The pipeline in conda environments: by the conda on the PATH, or else by a stand-in."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..shared import put, until
from .conftest import TABLE

MINIMUM = (24, 7, 1)
# The commands of conda that Snakemake calls, on virtual environments, for machines without one.
CONDA = """\
#!{python}
import json, subprocess, sys, time
from pathlib import Path

words = sys.argv[1:]
if words == ["--version"]:
    print("conda 26.7.1")
elif words[0] == "info":
    print(json.dumps({{"conda_prefix": "{root}", "platform": "linux-64", "env_vars": {{}}}}))
elif words[0] == "config":
    print(json.dumps({{"get": {{"channel_priority": "strict"}}}}))
elif words[:2] == ["env", "create"]:
    while Path("{root}", "gate").exists():
        time.sleep(0.05)
    prefix = Path(words[words.index("--prefix") + 1])
    subprocess.run([sys.executable, "-m", "venv", str(prefix)], check=True)
    (prefix / "conda-meta").mkdir()
"""
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'


def stand_in(root: Path) -> Path:
    """The folder with the stand-in, for the PATH."""
    text = CONDA.format(python=sys.executable, root=root)
    folder = put(root / "bin/conda", text, program=True).parent
    return put(folder / "activate", ACTIVATE).parent


def usable_conda():
    """True if Snakemake would accept the conda on the PATH."""
    if not shutil.which("conda"):
        return False
    version = subprocess.run(["conda", "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", version)[:3])) >= MINIMUM


@pytest.fixture
def path(tmp_path):
    """A PATH with a conda, and with the uv of the tests."""
    own = f"{os.environ['PATH']}{os.pathsep}{Path(sys.executable).parent}"
    return own if usable_conda() else f"{stand_in(tmp_path / 'conda')}{os.pathsep}{own}"


def complete(project) -> set[str]:
    """Names of the definitions whose conda environments are complete."""
    names = {file.read_bytes(): file for file in project.folder.glob("envs/**/*.post-deploy.sh")}
    marks = project.folder.glob(".snakemake/conda/*/millistep-complete")
    scripts = (Path(f"{mark.parent}.post-deploy.sh").read_bytes() for mark in marks)
    return {names[script].name.removesuffix(".post-deploy.sh") for script in scripts}


def test_a_lock_that_cannot_be_installed_costs_its_own_cells_alone(fresh, path):
    predict = {"bert": {"predict": "default"}}
    broken = "keras3-tensorflow"  # which the reference workload would take
    fresh.configure(models=predict, columns=["keras3-jax", broken])
    lock = fresh.folder / f"envs/2026-11/cpu/{broken}.post-deploy.sh"
    locked = lock.read_bytes()
    lock.write_text(re.sub(r"(?m)^keras==\S+", "keras==99.9", lock.read_text()))
    quiet = ("--quiet", "all", "--use-conda")
    done = fresh.snakemake(*quiet, "--conda-create-envs-only", PATH=path)
    assert done.returncode == 0, done.stderr
    assert "millistep: conda makes environments first, which takes minutes: " in done.stderr
    assert complete(fresh) >= {"keras3-jax", "analysis"} and broken not in complete(fresh)

    done = fresh.snakemake(*quiet, "--", TABLE, PATH=path)
    assert "conda makes environments" not in done.stderr
    found = {(r["cell"]["column"], r["cell"]["task"]): r for r in fresh.found()}
    for (column, _), record in found.items():
        assert record["environment"]["method"] == "conda"
        if column == broken:
            assert "keras==99.9" in record["reason"]
        else:
            assert record["status"] == "ok", record["reason"]
    assert "keras==99.9" in (fresh.folder / TABLE).read_text()
    # What is measured besides the cells is measured in an environment that works.
    files = [*fresh.folder.glob("results/reference/**/*-cpu.json")]
    statuses = [re.findall(r'"status": "(\w+)"', file.read_text()) for file in files]
    assert statuses and statuses == [["ok"]] * len(files)
    before = {name: text for name, text in fresh.records().items() if "keras3-jax" in name}

    lock.write_bytes(locked)
    done = fresh.snakemake(*quiet, "--", *fresh.planned_records(), PATH=path)
    assert done.returncode == 0, done.stderr
    assert {record["status"] for record in fresh.found()} == {"ok"}
    after = fresh.records()
    assert {name: after[name] for name in before} == before

    assert fresh.measured() == {}  # nor do virtual environments measure any run again


def test_ctrl_c_while_conda_makes_environments_ends_with_one_line(fresh, path, tmp_path):
    path = f"{stand_in(tmp_path / 'conda')}{os.pathsep}{os.environ['PATH']}"
    (tmp_path / "conda/gate").touch()
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--use-conda"]
    own = {"cwd": fresh.folder, "env": {**os.environ, "PATH": path}, "start_new_session": True}
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **own)
    for line in started.stderr:
        if "conda makes environments first" in line:
            break
    # Snakemake copies the definition before it calls conda.
    assert until(lambda: [*fresh.folder.glob(".snakemake/conda/*.yaml")], 60)
    time.sleep(0.5)
    os.killpg(started.pid, signal.SIGINT)
    rest = started.stderr.read()
    assert started.wait(timeout=60) == 1
    assert "Traceback" not in rest
    assert rest.splitlines()[-1] == (
        "millistep: interrupted; complete environments and runs are kept; "
        "run the same command again to continue"
    )


def test_a_blank_in_the_prefix_is_refused_before_anything_is_installed(fresh, path):
    wanted = ("--quiet", "all", "--use-conda", "--conda-prefix", "my environments")
    done = fresh.snakemake(*wanted, PATH=path)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "specific profile" not in line]
    assert line.endswith("name another folder with --conda-prefix")
    assert not (fresh.folder / "my environments").exists()
