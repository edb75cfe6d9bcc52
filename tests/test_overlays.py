"""Packages put over a locked environment: those alone change, and what lies beneath is untouched.

The environment, the wheels and the source trees are those of tests/workshop.py: no network.
"""

import json
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path

import jsonschema
import pytest
import yaml

from contract import ending
from deploy.environments import definition_sha256
from deploy.overlays import content, with_overlays
from planning.plan import Plan
from supervise import jobs, preconditions
from tests.workshop import PROGRESS, Workshop, build_wheel, make_workshop, source_tree

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def deployed(tmp_path_factory) -> Workshop:
    """The locked environment, with version 1.0, is there already."""
    workshop = make_workshop(tmp_path_factory.mktemp("deployed"))
    assert workshop.run() == (0, [])
    build_wheel(workshop.folder / "wheels", "2.0", "SAYS = 'wheel'")
    return workshop


def put_over(workshop: Workshop, *sources, method="venv", more=(), **options):
    overlays = [word for source in sources for word in ("--overlay", str(source))]
    return workshop.run("--method", method, "--name", "tiny+more", *overlays, *more, **options)


def says(workshop: Workshop) -> str:
    program = "import tiny_thing; print(tiny_thing.SAYS)"
    command = [workshop.marker()["interpreter"], "-I", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def files(prefix):
    return {path: path.stat().st_mtime_ns for path in prefix.rglob("*") if path.suffix != ".pyc"}


def test_a_version_a_wheel_and_a_source_tree_replace_one_package_of_the_lock(deployed, tmp_path):
    tree = source_tree(tmp_path / "my tree", "SAYS = 'tree'")
    wheel = deployed.folder / "wheels" / "tiny_thing-2.0-py3-none-any.whl"
    assert deployed.run() == (0, [])
    locked, before = deployed.marker(), files(deployed.prefix)
    of_the_user = files(tree)
    for source, version, words in (
        ("tiny-thing==2.0", "2.0", "wheel"),
        (wheel, "2.0", "wheel"),
        (tree, "3.0", "tree"),
    ):
        assert put_over(deployed, source) == (0, [])
        marker = deployed.marker()
        assert marker["packages"] == {**locked["packages"], "tiny-thing": version}
        assert marker["beneath"] == locked["prefix"] != marker["prefix"]
        digest = with_overlays(definition_sha256(deployed.definition), [content(str(source))])
        assert marker["definition_sha256"] == digest
        assert says(deployed) == words
    assert files(deployed.prefix) == before
    assert files(tree) == of_the_user


def test_it_is_made_once_and_an_edited_file_makes_another_one(deployed, tmp_path):
    tree = source_tree(tmp_path / "tree", "SAYS = 'before'")
    deployed.trace.unlink(missing_ok=True)
    assert put_over(deployed, tree) == put_over(deployed, tree) == (0, [])
    assert deployed.runs() == 1
    before = deployed.marker()
    (tree / "tiny_thing.py").write_text("SAYS = 'after'")
    assert put_over(deployed, tree) == (0, [])
    assert deployed.runs() == 2
    assert says(deployed) == "after"
    assert deployed.marker()["definition_sha256"] != before["definition_sha256"]
    assert deployed.marker()["prefix"] != before["prefix"]


def test_what_is_built_or_hidden_is_no_part_of_a_source_tree(tmp_path):
    tree = source_tree(tmp_path / "tree")
    before = content(str(tree))
    for name in (".git/HEAD", "build/lib/x.py", "a/__pycache__/x.pyc", "x.egg-info/SOURCES.txt"):
        (tree / name).parent.mkdir(parents=True)
        (tree / name).touch()
    venv.create(tree / "mine", symlinks=True)
    assert content(str(tree)) == before
    (tree / "a" / "build").mkdir()
    (tree / "a" / "build" / "x.py").touch()
    assert content(str(tree)) != before


def test_what_changed_since_the_plan_is_not_measured(deployed, tmp_path):
    tree = source_tree(tmp_path / "tree", "SAYS = 'planned'")
    planned = with_overlays(definition_sha256(deployed.definition), [content(str(tree))])
    assert put_over(deployed, tree, more=("--planned", planned)) == (0, [])
    (deployed.folder / "marker.json").unlink()
    (tree / "tiny_thing.py").write_text("SAYS = 'edited'")
    code, message = put_over(deployed, tree, more=("--planned", planned))
    assert code == 1 and len(message) == 1
    assert f"{tree}: changed since the plan; run snakemake again" in message[0]
    assert not deployed.has_marker()


@pytest.mark.parametrize(
    "source, words",
    [
        ("tiny-thing==9.9", "the package index does not have tiny-thing==9.9"),
        ("SAYS = (", "its source does not build"),
        (None, "No such file or directory"),
    ],
)
def test_what_cannot_be_installed_is_told_in_one_line(deployed, tmp_path, source, words):
    (deployed.folder / "marker.json").unlink(missing_ok=True)
    if source is None:
        source = tmp_path / "gone-1.0-py3-none-any.whl"
    elif "==" not in source:
        source = source_tree(tmp_path / "tree", source)
    for _ in range(2):  # what failed does not count as finished
        code, message = put_over(deployed, source)
        assert code == 1 and len(message) == 1
        assert str(source) in message[0] and words in message[0]
        assert not deployed.has_marker()


def test_a_killed_creation_does_not_count(deployed, tmp_path):
    tree = source_tree(tmp_path / "tree", "SAYS = 'whole'")
    deployed.trace.unlink(missing_ok=True)
    deployed.gate.touch()
    command = ("--method", "venv", "--name", "tiny+more", "--overlay", str(tree))
    first = deployed.start("killed.json", *command)
    deployed.wait_until_started()
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=60)
    deployed.gate.unlink()
    assert not (deployed.folder / "killed.json").exists()
    code, _ = put_over(deployed, tree)
    assert code == 0 and says(deployed) == "whole"
    assert deployed.runs() == 2


def test_what_lies_beneath_is_made_again_where_it_is_gone(workshop):
    tree = source_tree(workshop.folder / "tree", "SAYS = 'tree'")
    assert put_over(workshop, tree) == (0, [])
    marker = workshop.marker()
    wanted = {"environment": marker["definition_sha256"]}
    assert jobs.as_planned(marker, "venv", wanted)
    shutil.rmtree(workshop.prefix)
    assert not jobs.as_planned(marker, "venv", wanted)
    assert put_over(workshop, tree) == (0, [])
    assert workshop.marker() == marker
    assert jobs.as_planned(marker, "venv", wanted)


def test_over_conda_it_is_another_one_than_over_a_virtual_environment(deployed, tmp_path):
    inside = tmp_path / "conda"
    venv.create(inside, symlinks=True, with_pip=True)
    (inside / "conda-meta").mkdir()
    python = str(inside / "bin" / "python")
    assert put_over(deployed, "tiny-thing==2.0", method="conda", python=python) == (0, [])
    marker = deployed.marker()
    assert (marker["method"], marker["beneath"]) == ("conda", str(inside))
    assert says(deployed) == "wheel"
    wanted = {"environment": marker["definition_sha256"]}
    assert jobs.as_planned(marker, "conda", wanted)
    preconditions.check_environment(wanted, marker)
    # Over a virtual environment it is another one, of the same digest.
    assert put_over(deployed, "tiny-thing==2.0") == (0, [])
    other = deployed.marker()
    assert other["definition_sha256"] == marker["definition_sha256"]
    assert other["prefix"] != marker["prefix"]


def test_the_marker_is_as_its_schema_says(deployed):
    assert put_over(deployed, "tiny-thing==2.0") == (0, [])
    schema = ROOT / "workflow/schemas/environment.schema.json"
    jsonschema.validate(deployed.marker(), json.loads(schema.read_text()))


def supervised(deployed, tmp_path, command, identity, *options):
    """What a command of the rules says and writes where its overlay cannot be installed."""
    output, source = tmp_path / "made" / "output.json", "tiny-thing==9.9"
    identity = json.loads(identity)
    identity["environment"] = with_overlays(definition_sha256(deployed.definition), [source])
    program = [sys.executable, "-s", str(ROOT / "workflow/supervise"), command]
    program += ["--identity", json.dumps(identity, sort_keys=True), "--deployment", "venv"]
    program += ["--definition", str(deployed.definition), "--overlay", source]
    program += ["--environment", str(tmp_path / "tiny+more.json")]
    program += ["--log", str(tmp_path / "log"), "--memory-gib", "1", *options, str(output)]
    if command != "known_steps":
        program += ["--results", str(tmp_path), "--around", "cpu"]
    if command == "canary":
        program += ["--block", "smoke/bert/fit-b4/round1", "--when", "before"]
        program += ["--accelerators", "cpu"]
    done = subprocess.run(program, env=deployed.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(output.read_text())
    return found["sittings"][-1]["canary"] if command == "canary" else found, done.stderr


def planned() -> Plan:
    shipped = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config = {**shipped, "columns": ["keras3-jax"], "models": {"bert": {"predict": 1}}}
    config |= {"scale": "smoke", "accelerator": "cpu", "threads": 1}
    return Plan(config, definition_sha256, ROOT / "envs")


def schema(name):
    return json.loads((ROOT / f"workflow/schemas/{name}.schema.json").read_text())


def test_a_cell_whose_overlay_cannot_be_installed_says_so_in_its_record(deployed, tmp_path):
    options = ("--plan", str(tmp_path / "plan"), "--time-limit-s", "9", "--record")
    found, said = supervised(deployed, tmp_path, "cell", planned().runs[0].identity, *options)
    jsonschema.validate(found, schema("record"))
    assert (found["status"], found["reason"]) == ending.of_record(found)
    assert found["status"] == "error"
    assert found["reason"].startswith("tiny-thing==9.9 cannot be put over ")
    assert "the package index does not have tiny-thing==9.9" in found["reason"]
    lines = [line for line in said.splitlines() if not line.startswith(PROGRESS)]
    assert len(lines) == 1 and found["reason"] in lines[0]


def test_where_no_column_has_an_environment_what_is_measured_beside_them_says_so_too(
    deployed, tmp_path
):
    """So that there is a report, which says why everything is missing."""
    controls = planned().controls
    canary = {**schema("block"), **schema("block")["$defs"]["canary"]}
    for command, identity, allowed in (
        ("canary", controls.canaries["cpu"][0].identity, canary),
        ("known_steps", controls.known_steps.identity, schema("self_test")),
    ):
        found, _ = supervised(deployed, tmp_path, command, identity, "--output")
        jsonschema.validate(found, allowed)
        assert (found["status"], found["reason"]) == ending.of_control(found)
        assert found["status"] == "error"
        assert "the package index does not have tiny-thing==9.9" in found["reason"]
