"""A measured project that names the machine in every way, and archives that somebody changed."""

import contextlib
import json
import shutil

import matplotlib
import pytest
from results_factory import Project, make_plan

from analysis.archive import MANIFEST, ROOT
from analysis.archive.contents import files_below, source_names
from analysis.archive.manifest import manifest_text
from analysis.caveats import collect
from analysis.caveats.groups import grouped, write_caveats
from analysis.data import Data
from analysis.results.loading import load_results
from analysis.results.reference import load_reference
from analysis.tables.files import TABLES
from deploy.environments import definition_sha256
from packing.sealed_zip import write_zip

UUID = "5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77"
USER, HOST, HOME = "annalena", "gpu-box-7", "/home/annalena"
RECORD = "results/records/laptop/bert/fit-b8/keras3-jax/run1.json"
LOG = RECORD.replace("records", "logs").replace(".json", ".log")
LOCKED = definition_sha256(ROOT / "envs/2026-11/cpu/keras3-jax.yaml")
DEPLOY_LOG = "results/logs/environments/keras3-jax.log"
CONFIG = {
    "scale": "laptop",
    "device": f"GPU-{UUID}",
    "interpreters": {"keras3-jax": f"{HOME}/nightly/bin/python"},
}


def copy_sources(root):
    """Sources that nobody edits meanwhile, without git."""
    for name in source_names(ROOT, ()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    return root


@contextlib.contextmanager
def as_somebody(root):
    """On somebody's machine, with the sources of a folder."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("pack", "rebuild", "verification"):
            patch.setattr(f"analysis.archive.{module}.ROOT", root)
        patch.setenv("MPLCONFIGDIR", matplotlib.get_configdir())
        patch.setenv("HOME", HOME)
        patch.delenv("MILLISTEP_CACHE", raising=False)
        for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
            patch.setenv(name, USER)
        patch.setattr("socket.gethostname", lambda: f"{HOST}.example.org")
        yield


def make_project(folder):
    """Two columns, two runs; records and logs that name the machine in every way."""
    plan = make_plan(2, (("bert", "fit", 8, 32),), ("keras3-tensorflow", "keras3-jax"))
    for cell in plan["cells"]:
        for run in cell["runs"]:
            facts = json.loads(run["identity"]) | {
                "interpreter": f"{HOME}/nightly/bin/python",
                "device": f"GPU-{UUID}",
            }
            run["identity"] = json.dumps(facts, sort_keys=True)
    project = Project(folder, plan)
    packages = f"{HOME}/.cache/millistep/envs/jax-1/lib/python3.11/site-packages"

    def name_the_machine(record):
        record["environment"]["definition_sha256"] = LOCKED
        record["warnings"] = [f"UserWarning: in {packages}/keras/src/a.py on {HOST}, MIG-{UUID}"]

    project.change(name_the_machine)
    project.save()
    marker = {
        "schema": "millistep.environment/1",
        "name": "keras3-jax",
        "accelerator": "cpu",
        "method": "venv",
        "definition_sha256": "ab" * 32,
        "interpreter": f"{HOME}/.cache/millistep/envs/jax-1/bin/python",
        "prefix": f"{HOME}/.cache/millistep/envs/jax-1",
        "python": "3.11.7",
        "packages": {"jax": "0.7"},
    }
    lines = f"{project.folder}/x.py:3: {packages}/jax/b.py /usr/lib/libc.so.6 /tmp/torch_{USER}/c\n"
    texts = {
        "results/environments/2026-11/cpu/keras3-jax.json": json.dumps(marker),
        LOG: lines,
        DEPLOY_LOG: f"one\n{HOST}: https://{HOST}/simple /proc/stat\n",
        "results/logs/archive.log": "being written",
        "results/other.json": "of nobody",
        "results/logs/smoke/bert/fit-b2/keras3-jax/run1.log": "of another plan",
        "results/records/smoke/bert/fit-b2/keras3-jax/run1.json": "of another plan",
    }
    for name, text in texts.items():
        path = project.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project.folder


def draw_little(project, plan, revision):
    """The tables and caveats, and pages and figures that hold nothing: what is drawn in truth,
    tests/pipeline has.
    """
    folder = project / "results"
    results = load_results(project / plan)
    data = Data(results, load_reference())
    caveats = collect(results, data)
    for write in TABLES.values():
        write(data, folder)
    write_caveats(caveats, grouped(caveats, results, data), folder)
    (folder / "figures").mkdir()
    for name in ("report.html", "appendix.html", "figures/blocks.svg", "figures/blocks.png"):
        (folder / name).write_text("drawn")


def as_archive(folder, path, manifest=True):
    """The files of a folder, zipped as ours are; `manifest`: made to fit."""
    names = [name for name in files_below(folder) if name != MANIFEST]
    if manifest:
        (folder / MANIFEST).write_text(manifest_text(folder, names))
    write_zip({name: folder / name for name in [*names, MANIFEST]}, path, (2026, 1, 1, 0, 0, 0))
    return path


def repacked(unpacked, tmp_path, change, manifest=False):
    """The archive with a change to its files."""
    folder = tmp_path / "changed"
    shutil.copytree(unpacked, folder)
    change(folder)
    return as_archive(folder, tmp_path / "b.zip", manifest)


def edit(name, old, new):
    def change(folder):
        path = folder / name
        text = path.read_bytes()
        assert old in text
        path.write_bytes(text.replace(old, new, 1))

    return change
