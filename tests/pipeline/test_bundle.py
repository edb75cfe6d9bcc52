"""A bundle of real frameworks, measured in another folder without Snakemake and drawn here."""

import json
import os
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from ..models.libraries import interpreter_of
from ..nets import NETS
from ..shared import succeed
from .conftest import Project, checkout

BUNDLE = "results/millistep-bundle-smoke-cpu.zip"
RECORD = "results/records/smoke/bert/predict-b8/{}/run1.json"
DRAWN = ("results/table.csv", "results/caveats.json")


def measure(kit: Path) -> None:
    """Run the bundle's command; the framework's interpreters have only the locked packages.

    JAX' is a virtual environment on top, as README says for packages in a folder of their own.
    """
    jax, pytorch = (Path(interpreter_of(NETS[name])) for name in ("keras3-jax", "pytorch-eager"))
    own = kit.parent / "mine"
    venv.create(own, symlinks=True)
    (packages,) = own.glob("lib/python3*/site-packages")
    (beside,) = jax.parent.parent.glob("lib/python3*/site-packages")
    (packages / "more.pth").write_text(f"{beside}\n")
    command = [sys.executable, "run_bundle.py", "--interpreter", f"keras3-jax={own / 'bin/python'}"]
    command += ["--interpreter", f"pytorch-eager={pytorch}"]
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(kit.parent / "home")}
    environ["MILLISTEP_LOCKS"] = os.environ["MILLISTEP_LOCKS"]
    succeed(command, cwd=kit, env=environ)


@pytest.fixture(scope="module")
def back(tmp_path_factory) -> Project:
    """A project that draws its bundle's runs; ``kit`` is the bundle's folder."""
    folder = tmp_path_factory.mktemp("bundle")
    project = checkout(folder / "project")
    columns = ["keras3-jax", "pytorch-eager", "pytorch-compiled"]
    project.configure(models={"bert": {"predict": "default"}}, columns=columns)
    project.made("bundle")
    # Nothing was deployed or measured for the bundle.
    assert {*os.listdir(project.folder / "results")} == {Path(BUNDLE).name, "logs"}
    kit = folder / "kit"
    zipfile.ZipFile(project.folder / BUNDLE).extractall(kit)
    measure(kit)
    assert (kit / "records.zip").stat().st_size < 2**17
    zipfile.ZipFile(kit / "records.zip").extractall(project.folder)
    project.kit, project.jobs = kit, project.planned()
    project.drawn = project.made(*DRAWN)
    return project


def test_what_came_back_is_drawn_and_nothing_is_measured(back):
    assert not [rule for rule in back.jobs if rule.startswith(("time_", "reference_", "known"))]
    assert "1 of 3 runs to measure at smoke scale, but not here" in back.drawn.stderr
    assert back.planned("--", *DRAWN) == {}
    for framework, package in (("keras3-jax", "jax"), ("pytorch-eager", "torch")):
        record = back.read(RECORD.format(framework))
        assert (record["status"], record["environment"]["method"]) == ("ok", "interpreter")
        assert package in record["environment"]["packages"]
        assert record["timing"]["in_turns"] > 1
    # The table shows what was measured and what was not, the caveats the interpreters.
    assert "not measured" in (back.folder / "results/table.csv").read_text()
    caveats = (back.folder / "results/caveats.json").read_text()
    assert "environment_differs" in caveats and "no_time" in caveats
    # The description is the measuring machine's.
    machine = back.read(RECORD.format("keras3-jax"))["machine"]["id"]
    card = f"results/machines/{machine}.json"
    assert back.read(card) == json.loads((back.kit / card).read_text())


def test_without_the_marker_the_rest_is_measured_here(back, tmp_path):
    """With it, records of another plan are outdated, and nothing is measured."""
    project = back.copy(tmp_path / "project")
    project.configure(seed=7)
    said = project.dry_run()
    planned = project.planned(said=said)
    assert not [rule for rule in planned if rule.startswith(("time_", "reference_", "known"))]
    assert "seed 1 -> 7: bert predict b8" in said
    project.configure(seed=1)
    (project.folder / "results/elsewhere.json").unlink()
    said = project.dry_run()
    assert project.measured(said=said) == {"pytorch-compiled": 1}
    assert "known_steps" not in project.planned(said=said)
