"""The workflow as a module of another one, and deployed as the workflow catalogue does it."""

import sys
from pathlib import Path

import pytest
import yaml

from millistep.planning.plan import Plan
from tests.pipeline.conftest import CONFIG, Project, checkout
from tests.planning.records import write_record
from tests.shared import commit, put, succeed

MODULE = """\
configfile: "config/config.yaml"

module millistep:
    snakefile: {!r}
    config: config

use rule * from millistep

onstart:
    millistep.onstart()

onsuccess:
    millistep.onsuccess()

onerror:
    millistep.onerror()
"""
PROFILE = "profiles/default/profile.v9+.yaml"
RECORD = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"
PLANNED = "millistep: 12 of 12 runs to measure at smoke scale"


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """A checkout in a folder of its own that is a repository with one commit."""
    folder = checkout(tmp_path_factory.mktemp("so urces")).folder
    commit(folder, "A version")
    return folder


def test_a_module_finds_its_sources_and_leaves_results_where_it_is_used(sources, tmp_path):
    using = Project(tmp_path)
    put(tmp_path / "workflow/Snakefile", MODULE.format(f"{sources}/workflow/Snakefile"))
    put(tmp_path / "config/config.yaml", CONFIG)
    put(tmp_path / PROFILE, (sources / PROFILE).read_text())
    assert PLANNED in using.dry_run("--", "results/table.md")
    broken = put(using.folder / RECORD, "")
    assert f"{RECORD} is now {RECORD}.unreadable" in using.made("results/plan.json").stderr
    assert not broken.exists()
    # Records as far as a start looks at them.
    planned = Plan(yaml.safe_load(CONFIG))
    for path, run in planned.timed.items():
        write_record(using.folder / path, run.identity)
    assert using.measured() == {} and not (sources / "results").exists()


def test_deployed_by_the_catalogues_tool_it_finds_its_sources(sources, tmp_path, monkeypatch):
    address = "https://github.com/millistep/millistep"
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{sources}/.git.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", address)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    head = ["git", "rev-parse", "HEAD"]
    commit = succeed(head, cwd=sources).strip()
    command = ["snakedeploy", "deploy-workflow", address, "here", "--commit", commit]
    command[0] = str(Path(sys.executable).with_name("snakedeploy"))
    succeed(command, cwd=tmp_path)
    deployed = Project(tmp_path / "here")
    deployed.made("results/plan.json")
    [copy] = (tmp_path / "cache").rglob("workflow/millistep/__main__.py")
    assert commit in copy.parts
    snakefile = (deployed.folder / "workflow/Snakefile").read_text()
    assert 'github("millistep/millistep"' in snakefile
