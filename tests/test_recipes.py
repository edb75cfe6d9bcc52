"""CONTRIBUTING's recipes, followed to the letter in a copy of the checkout."""

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from millistep.deploy.environments import definition_sha256
from tests.pipeline.conftest import COLUMNS, Project
from tests.shared import ROOT, copy_tree, custom_model, put, python
from tests.test_lock import FAKE_UV

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
# A paragraph that says where code goes, and the code below it.
BLOCK = re.compile(r"((?:^[^\n`]*(?:`[^`\n]+`[^\n`]*)*\n)+)\n```(\w+)\n(.*?)^```$", re.M | re.S)
NEW_FILE = re.compile(r"new file\s+`([^`]+)`")
BELOW = re.compile(r"[Ii]n\s+`([^`]+)`,\s+below\s+the\s+line\s+`([^`]+)`")
PLANNED = """
import json, sys
from millistep.planning.config import read_configuration
from millistep.planning.plan import Plan
small = {"scale": "smoke", "accelerator": "cpu", "threads": 1}
print(json.dumps(Plan({**read_configuration(sys.argv[1]), **small}).document()))
"""
AT_THE_END = re.compile(r"[Aa]t\s+the\s+end\s+of\s+`([^`]+)`")


class Copy(Project):
    """A copy of the checkout, tests included, in which recipes are followed."""

    def follow(self, recipe: str) -> None:
        """Do what the recipe's paragraphs say with the code below them."""
        section = CONTRIBUTING.split(f"### {recipe}\n")[1].split("\n##")[0]
        blocks = BLOCK.findall(section)
        assert len(blocks) == section.count("```") / 2 > 0
        for paragraph, language, code in blocks:
            if language == "console":
                self.type(code)
            elif below := BELOW.search(paragraph):
                name, line = below.groups()
                self.edit(name, f"\n{line}\n", f"\n{line}\n{code}")
            elif end := AT_THE_END.search(paragraph):
                path = self.folder / end[1]
                path.write_text(path.read_text() + code)
            else:
                self.write(NEW_FILE.search(paragraph)[1], code)

    def type(self, lines: str) -> None:
        """Run what stands behind the prompts of a terminal, with this Python and our uv."""
        script = "\n".join(line.removeprefix("$ ") for line in lines.splitlines())
        path = [str(self.folder / "bin"), str(Path(sys.executable).parent), "/usr/bin", "/bin"]
        environ = {"PATH": os.pathsep.join(path)}
        command = ["bash", "-e", "-c", script]
        subprocess.run(command, cwd=self.folder, env=environ, check=True)

    def write(self, name: str, code: str) -> None:
        path = self.folder / name
        assert not path.exists(), f"{name} is no new file"
        put(path, code)

    def run(self, *command: str) -> str:
        """Run a Python command here, which must succeed; what it says."""
        return python(*command, workflow=self.folder / "workflow", cwd=self.folder)

    def plan(self, config: str = "config/config.yaml") -> dict:
        """The plan of a configuration, at smoke scale on the processors."""
        return json.loads(self.run("-c", PLANNED, config).splitlines()[0])


@pytest.fixture
def copy(tmp_path) -> Copy:
    copy_tree(tmp_path)
    return Copy(tmp_path)


@pytest.fixture(scope="module")
def before() -> dict[str, str]:
    """Identities of the runs that are planned before any recipe."""
    return identities(Copy(ROOT).plan())


def identities(plan: dict) -> dict[str, str]:
    return {run["record"]: run["identity"] for cell in plan["cells"] for run in cell["runs"]}


def column_names(plan: dict) -> list[str]:
    return [column["name"] for column in plan["columns"]]


def test_a_model(copy):
    assert not (copy.folder / "workflow/millistep/measure/models/mlp").exists()
    custom_model(copy.folder / "workflow/millistep/measure")
    copy.follow("Add a model")
    plan = copy.plan()
    assert plan["rows"][0]["title"] == "Small MLP fit"
    cells = {c["column"]: c for c in plan["cells"] if c["model"] == "mlp"}
    assert cells["keras2-tensorflow"]["unsupported"] == "no builder for Keras 2"
    assert all(cells[name]["runs"] for name in ("keras3-jax", "pytorch-eager"))


def test_a_column(copy, before):
    copy.follow("Add a column")
    plan = copy.plan()
    assert sorted(column_names(plan)) == sorted([*COLUMNS, "keras3-jax+float32"])
    after = identities(plan)
    assert before.items() < after.items()
    assert {Path(path).parent.name for path in after.keys() - before} == {"keras3-jax+float32"}


def test_a_setting(copy):
    copy.follow("Add a setting that columns may have")
    columns = ["pytorch-eager", {"framework": "pytorch-eager", "deterministic": True}]
    study = {"study": {"name": "repeated", "title": "Repeated", "question": "What does it cost?"}}
    study |= {"models": {"bert": {"predict": "default"}}, "columns": columns}
    copy.write("config/studies/repeated.yaml", json.dumps(study))
    plan = copy.plan("config/studies/repeated.yaml")
    titles = {column["name"]: column["title"] for column in plan["columns"]}
    assert titles == {
        "pytorch-eager": "PyTorch (eager)",
        "pytorch-eager+deterministic": "PyTorch (eager), deterministic algorithms",
    }
    read = """
import sys; sys.path.insert(0, "")
from tests.models.libraries import cell, run
one = cell("bert", "pytorch-eager", "predict", "smoke", batch_size=4, deterministic=True)
print(run("read_back", one, "observed_settings", folder="made")["deterministic"])
"""
    said = copy.run("-c", read).splitlines()
    assert said == ["True"]
    nothing_lacks = ("-p", "no:cacheprovider", "-k", "reaches or readme")
    copy.run("-m", "pytest", *nothing_lacks, "tests/planning")


def test_a_stack(copy, before):
    put(copy.folder / "bin/uv", FAKE_UV.format(python=f"{sys.executable} -IS"), program=True)
    locks = sorted((copy.folder / "envs/2026-11").rglob("*.*"))
    digests = [sha256(path.read_bytes()).hexdigest() for path in locks]
    copy.follow("Add a stack")
    assert [sha256(path.read_bytes()).hexdigest() for path in locks] == digests
    after = identities(copy.plan())
    assert before.items() < after.items()
    new = {path: json.loads(after[path]) for path in after.keys() - before}
    assert {Path(path).parent.name for path in new} == {"keras3-jax+2027-05"}
    definition = copy.folder / "envs/2027-05/cpu/keras3-jax.yaml"
    assert {i["environment"] for i in new.values()} == {definition_sha256(definition)}


def test_a_record_field(copy):
    copy.follow("Add a record field")
    harness = "tests/measure/test_harness.py::test_a_step_of_20_ms_is_reported_as_20_ms"
    assert "1 passed" in copy.run("-m", "pytest", "-p", "no:cacheprovider", harness)


@pytest.mark.timeout(2400)  # a busy machine makes measuring slow
def test_a_framework_of_ours_or_of_a_users_folder(copy, before):
    copy.follow("Add a framework")
    plan = copy.plan()
    assert sorted(column_names(plan)) == sorted([*COLUMNS, "keras3-jax-checked"])
    assert before.items() < identities(plan).items()

    copy.write("mine/frameworks/frameworks.yaml", "keras3-jax-again: {like: keras3-jax}\n")
    study = {
        "study": {"name": "checked", "title": "Checked", "question": "What does it cost?"},
        "scale": "smoke",
        "accelerator": "cpu",
        "threads": 1,
        "folders": ["mine"],
        "models": {"bert": {"predict": "default"}},
        "columns": ["keras3-jax-checked", "keras3-jax-again"],
    }
    copy.write("config/studies/checked.yaml", json.dumps(study))
    folder = "results/studies/checked"
    record = folder + "/records/smoke/bert/predict-b8/{}/run1.json"
    records = {name: record.format(name) for name in study["columns"]}
    made = ("--configfile", "config/studies/checked.yaml", "--", f"{folder}/plan.json")
    done = copy.snakemake("--quiet", "all", *made, *records.values())
    assert done.returncode == 0, done.stderr
    copy.write_tables(folder)
    found = {name: copy.read(path) for name, path in records.items()}
    assert {name: (r["status"], r["reason"]) for name, r in found.items()} == dict.fromkeys(
        study["columns"], ("ok", "")
    )
    assert found["keras3-jax-checked"]["parity"]["debug_nans"] is True
    assert "Keras 3 (JAX, checked)" in (copy.folder / folder / "table.md").read_text()
    # The recipe "Add a record field": an observed setting gets into the tidy file by itself.
    shown = {run["configuration"]: run["parity.debug_nans"] for run in copy.runs(folder)}
    assert shown == {"keras3-jax-checked": "True", "keras3-jax-again": ""}


def test_a_study(copy):
    copy.follow("Add a study")
    plan = copy.plan("config/studies/eager.yaml")
    assert [row["title"] for row in plan["rows"]] == ["BERT fit", "BERT predict"]
    assert column_names(plan) == ["pytorch-eager", "pytorch-compiled"]
    assert (plan["runs"], len(identities(plan))) == (3, 12)


def test_every_place_that_is_named_is_there():
    made = set(NEW_FILE.findall(CONTRIBUTING))
    places = re.findall(r"`((?:workflow|tests|config|report|reference|envs)/[^`<]*)`", CONTRIBUTING)
    assert len(places) > 15
    assert [place for place in places if not (ROOT / place).exists() and place not in made] == []
