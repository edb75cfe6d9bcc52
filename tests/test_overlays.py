"""Packages put over a locked environment: only they change, and the one below is untouched.

The environment, the wheels and the source trees are those of tests/workshop.py: no network.
"""

import json
import os
import shutil
import sys
import venv

import pytest

from millistep.deploy.environments import Wanted, definition_sha256
from millistep.deploy.overlays import content, with_overlays
from millistep.supervise import ending, preconditions
from tests.planning.test_config import plan
from tests.shared import ROOT, put, succeed, valid
from tests.workshop import Workshop, source_tree


def put_over(workshop: Workshop, *sources, method="venv"):
    overlays = [word for source in sources for word in ("--overlay", str(source))]
    return workshop.run("--method", method, "--name", "tiny+more", *overlays)


def as_planned(workshop, marker, planned, method="venv", **options):
    """Whether the supervisor takes a marker as it is."""
    path = workshop.folder / "marker.json"
    wanted = Wanted("tiny", workshop.definition, method, path, planned=planned, **options)
    return preconditions.as_planned(marker, wanted)


def says(workshop: Workshop) -> str:
    program = "import tiny_thing; print(tiny_thing.SAYS)"
    return succeed([workshop.marker()["interpreter"], "-I", "-c", program]).strip()


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
        marker = valid(deployed.marker(), "environment")
        assert marker["packages"] == {**locked["packages"], "tiny-thing": version}
        assert marker["below"] == locked["prefix"] != marker["prefix"]
        digest = with_overlays(definition_sha256(deployed.definition), [content(str(source))])
        assert marker["definition_sha256"] == digest
        assert says(deployed) == words
    assert files(deployed.prefix) == before
    assert files(tree) == of_the_user


def test_what_is_built_or_hidden_is_no_part_of_a_source_tree(tmp_path):
    tree = source_tree(tmp_path / "tree")
    (tree / os.fsdecode(b"caf\xe9.txt")).touch()  # not UTF-8
    before = content(str(tree))
    for name in (".git/HEAD", "build/lib/x.py", "a/__pycache__/x.pyc", "x.egg-info/SOURCES.txt"):
        put(tree / name, "")
    venv.create(tree / "mine", symlinks=True)
    assert content(str(tree)) == before
    put(tree / "a/build/x.py", "")
    assert content(str(tree)) != before


def test_what_lies_below_is_made_again_where_it_is_gone(workshop):
    tree = source_tree(workshop.folder / "tree", "SAYS = 'tree'")
    assert put_over(workshop, tree) == (0, [])
    marker = workshop.marker()
    wanted = marker["definition_sha256"]
    assert as_planned(workshop, marker, wanted)
    assert not as_planned(workshop, {}, wanted)  # some other JSON is in its place
    shutil.rmtree(workshop.prefix)
    assert not as_planned(workshop, marker, wanted)
    assert put_over(workshop, tree) == (0, [])
    assert workshop.marker() == marker
    assert as_planned(workshop, marker, wanted)


def test_over_conda_it_is_another_one_than_over_a_virtual_environment(workshop):
    inside = workshop.conda_prefix()
    assert put_over(workshop, "tiny-thing==2.0", method="conda") == (0, [])
    marker = workshop.marker()
    assert (marker["method"], marker["below"]) == ("conda", str(inside))
    assert says(workshop) == "wheel"
    # Over a virtual environment, the overlay makes another one, of the same digest.
    assert put_over(workshop, "tiny-thing==2.0") == (0, [])
    other = workshop.marker()
    assert other["definition_sha256"] == marker["definition_sha256"]
    assert other["prefix"] != marker["prefix"]


def test_a_marker_holds_for_the_activated_and_complete_environment_alone(workshop, monkeypatch):
    first = workshop.conda_prefix()
    assert workshop.run("--method", "conda") == (0, [])
    marker = workshop.marker()
    wanted = marker["definition_sha256"]

    def holds(**options):
        return as_planned(workshop, marker, wanted, "conda", **options)

    monkeypatch.setenv("CONDA_PREFIX", str(first))
    assert holds()
    monkeypatch.setenv("CONDA_PREFIX", str(workshop.conda_prefix("two")))
    assert not holds()
    assert holds(another=True)
    monkeypatch.setenv("CONDA_PREFIX", str(first))
    mark = first / "millistep-complete"
    mark.touch()  # Snakemake made it again, perhaps with another pip
    assert not holds()
    mark.unlink()
    assert not holds()


def test_where_no_column_has_an_environment_what_is_measured_besides_says_so(deployed, tmp_path):
    """Otherwise there would be no report to say why everything is missing."""
    source = "tiny-thing==9.9"
    planned = with_overlays(definition_sha256(deployed.definition), [source])
    wanted = {"name": "tiny+more", "definition": str(deployed.definition), "method": "venv"}
    wanted |= {"marker": str(tmp_path / "marker.json"), "overlay": [source], "planned": planned}
    made = plan(columns=["keras3-jax"], models={"bert": {"predict": 1}}, threads=1).controls
    block = ("--results", str(tmp_path), "--around", "cpu", "--accelerators", "cpu")
    block += ("--round", "smoke/bert/fit-b4/round1")
    for command, identity, options in (
        ("reference", made.references["cpu"].identity, block),
        ("known-steps", made.known_steps.identity, ()),
    ):
        output = tmp_path / f"{command}.json"
        program = [sys.executable, "-s", str(ROOT / "workflow"), command, *options]
        program += ["--identity", identity, "--environment", json.dumps(wanted)]
        program += ["--memory-gib", "1", "--output", str(output), "--log", str(tmp_path / "log")]
        succeed(program, env=deployed.environ)
        found = json.loads(output.read_text())
        assert found["status"] == "error"
        assert ending.of_control(found) == (found["status"], found["reason"])
        assert "tiny-thing==9.9 cannot be installed: " in found["reason"]


def test_a_cache_that_cannot_be_written_is_the_reason(workshop, monkeypatch, tmp_path):
    monkeypatch.setenv("MILLISTEP_CACHE", str(put(tmp_path / "file", "")))
    wanted = Wanted("tiny", workshop.definition, "venv", tmp_path / "marker.json")
    with pytest.raises(OSError) as error:
        preconditions.provide(wanted, {"threads": 1}, None)
    reason = f"Not a directory: {tmp_path}/file/envs"
    assert ending.of_exception(error.value) == ("refused", reason)


def test_another_interpreter_of_the_users_is_another_environment(workshop):
    named = ("--interpreter", sys.executable)
    assert workshop.run("--method", "interpreter", *named) == (0, [])
    marker = workshop.marker()
    wanted = marker["definition_sha256"]
    assert as_planned(workshop, marker, wanted, "interpreter", interpreter=sys.executable)
    other = workshop.folder / "python"
    other.symlink_to(sys.executable)
    assert not as_planned(workshop, marker, wanted, "interpreter", interpreter=str(other))
