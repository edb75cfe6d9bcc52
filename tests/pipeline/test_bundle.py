"""A bundle measured in another folder without Snakemake, and drawn in the project."""

import json
import os
import signal
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from deploy.environments import virtual_interpreter

from .conftest import ROOT, Project, checkout

BUNDLE = "results/millistep-bundle-smoke-cpu.zip"
RECORD = "results/records/smoke/bert/predict-b8/{}/run1.json"
BLOCK = "results/blocks/smoke/bert/predict-b8/round1.json"
DRAWN = ("results/table.csv", "results/caveats.json")


def start(kit: Path, log: Path) -> subprocess.Popen:
    """Start the bundle's command, in an environment that has only the locked interpreters.

    JAX' is a virtual environment on top, as README says for packages in a folder of their own.
    """
    locked = {
        name: Path(virtual_interpreter(name, ROOT / f"envs/2026-11/cpu/{name}.yaml", log, name))
        for name in ("keras3-jax", "pytorch")
    }
    own = kit.parent / "mine"
    if not own.exists():
        venv.create(own, symlinks=True)
        (packages,) = own.glob("lib/python3*/site-packages")
        (beside,) = locked["keras3-jax"].parent.parent.glob("lib/python3*/site-packages")
        (packages / "more.pth").write_text(f"{beside}\n")
    command = [os.path.realpath(sys.executable), "run_bundle.py"]
    command += ["--interpreter", f"keras3-jax={own / 'bin/python'}"]
    command += ["--interpreter", f"pytorch-eager={locked['pytorch']}"]
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(kit.parent / "home")}
    return subprocess.Popen(command, cwd=kit, env=environ, stderr=subprocess.PIPE, text=True)


def read(folder: Path, path: str) -> dict:
    return json.loads((folder / path).read_text())


@pytest.fixture(scope="module")
def back(tmp_path_factory) -> Project:
    """A project that draws its bundle's runs; ``kit`` is the bundle's folder, interrupted once."""
    folder = tmp_path_factory.mktemp("bundle")
    project = checkout(folder / "project")
    columns = ["keras3-jax", "pytorch-eager", "pytorch-compiled"]
    project.configure(models={"bert": {"predict": "default"}}, columns=columns)
    project.made("bundle")
    # Nothing was deployed or measured for the bundle.
    assert {*os.listdir(project.folder / "results")} == {Path(BUNDLE).name, "logs"}

    kit = folder / "kit"
    zipfile.ZipFile(project.folder / BUNDLE).extractall(kit)
    process = start(kit, folder / "environments.log")
    for line in process.stderr:
        if line.startswith("[1/2]"):
            process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    (before,) = read(kit, BLOCK)["sessions"]
    assert (before["ended"], before["runs"]) == ("interrupted", [])
    assert not list(kit.glob("results/records/**/*.json"))

    process = start(kit, folder / "environments.log")
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert read(kit, BLOCK)["sessions"][0] == before
    assert "[2/2] bert predict, batch 8, " in said
    assert (kit / "records.zip").stat().st_size < 2**17
    zipfile.ZipFile(kit / "records.zip").extractall(project.folder)
    project.kit, project.jobs = kit, project.planned()
    project.drawn = project.made(*DRAWN)
    return project


def test_what_came_back_is_drawn_and_nothing_is_measured(back):
    drawn = {"plan", "runs", "table", "effects", "caveats", "claims", "figure", "report", "all"}
    assert {*back.jobs} == {"analysis_environment", *drawn}
    assert "1 of 3 runs to measure at smoke scale, but not here" in back.drawn.stderr
    assert back.planned("--", *DRAWN) == {}
    (block,) = read(back.kit, "bundle.json")["blocks"]
    planned = {run["record"]: run["identity"] for run in block["runs"]}
    for framework, package in (("keras3-jax", "jax"), ("pytorch-eager", "torch")):
        record = read(back.folder, RECORD.format(framework))
        assert record["identity"] == planned[RECORD.format(framework)]
        assert (record["status"], record["environment"]["method"]) == ("ok", "interpreter")
        assert package in record["environment"]["packages"]
    # The table says what was measured and what was not, the caveats in which interpreters.
    row = (back.folder / "results/table.csv").read_text()
    assert "not measured" in row
    caveats = {c["id"]: c for c in read(back.folder, "results/caveats.json")["caveats"]}
    assert caveats["own_interpreter"]["evidence"]["columns"] == ["keras3-jax", "pytorch-eager"]
    assert "not_measured" in caveats
    assert "stale_records" not in caveats
    # The card is the measuring machine's, and stays; the monitor's interpreter made it.
    node = read(back.folder, BLOCK)["sessions"][-1]["node"]
    card = read(back.folder, f"results/machines/{node}.json")
    assert card == read(back.kit, f"results/machines/{node}.json")
    ran_on = read(back.folder, RECORD.format("keras3-jax"))["machine"]["id"]
    assert card["ids"] == {"cpu": ran_on}
    facts = {f["name"]: f["value"] for section in card["sections"] for f in section["facts"]}
    assert facts["available now"] is not None


def test_records_of_another_plan_are_stale_and_without_the_marker_the_rest_is_measured_here(
    back, tmp_path
):
    project = back.copy(tmp_path / "project")
    project.configure(seed=7)
    planned = project.planned()
    assert "known_steps" not in planned
    assert not [rule for rule in planned if rule.startswith(("time_", "canary_"))]
    said = project.snakemake("-n").stderr
    assert "seed 1 -> 7: bert predict b8" in said
    project.configure(seed=1)
    (project.folder / "results/elsewhere.json").unlink()
    assert project.measured() == {"pytorch-compiled": 1}
    assert "known_steps" not in project.planned()
