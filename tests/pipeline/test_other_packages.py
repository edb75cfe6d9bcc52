"""Columns with other packages: over a lock, and those of the published page."""

import re

import pytest

from millistep.deploy.environments import virtual_prefix
from millistep.deploy.virtual_environments import COMPLETE
from tests.shared import ROOT
from tests.workshop import source_tree

from .conftest import PLAN, TABLE


def test_a_source_tree_is_measured_beside_the_release_and_a_broken_one_says_why(fresh, tmp_path):
    fork = source_tree(tmp_path / "my trees/fork", "SAYS = 'fork'")
    broken = source_tree(tmp_path / "my trees/broken", "SAYS = (")
    over = [{"framework": "pytorch-eager", "overlay": [str(tree)]} for tree in (fork, broken)]
    fresh.configure(models={"bert": {"predict": "default"}}, columns=["pytorch-eager", *over])
    backend = {"TRACE": str(tmp_path / "trace"), "GATE": str(tmp_path / "gate")}
    targets = ("environments", PLAN, *fresh.planned_records())
    done = fresh.snakemake("--quiet", "all", "--", *targets, **backend)
    assert done.returncode != 0, "an environment that cannot be made is no success"
    records = {r["cell"]["column"]: r for r in fresh.found()}
    ends = {name.removeprefix("pytorch-eager"): r["status"] for name, r in records.items()}
    assert ends == {"": "ok", "+fork": "ok", "+broken": "error"}
    over = records["pytorch-eager+fork"]["environment"]
    release = records["pytorch-eager"]["environment"]
    assert over["packages"] == {**release["packages"], "tiny-thing": "3.0"}
    reason = records["pytorch-eager+broken"]["reason"]
    assert f"{broken} cannot be installed: " in reason
    fresh.write_tables()
    assert "cannot be installed: " in (fresh.folder / TABLE).read_text()

    # A start tries an environment again that failed; a changed file affects its own cells alone.
    assert fresh.measured() == {"pytorch-eager+broken": 1}
    (fork / "tiny_thing.py").write_text("SAYS = 'edited'")
    assert fresh.measured() == {"pytorch-eager+fork": 1, "pytorch-eager+broken": 1}
    (broken / "tiny_thing.py").write_text("SAYS = 'mended'")
    fresh.measure(**backend)
    again = {r["cell"]["column"]: r for r in fresh.found()}
    assert {record["status"] for record in again.values()} == {"ok"}
    assert again["pytorch-eager"] == records["pytorch-eager"]


JAX = ROOT / "envs/2024-03/cpu/keras3-jax.yaml"
OLD = {"framework": "keras3-jax", "stack": "2024-03"}


def test_an_environment_of_each_stack_has_a_log_of_its_own(fresh):
    fresh.configure(columns=["keras3-jax", OLD])
    logs = re.findall(r"^ +log: (.+)$", fresh.dry_run("environments"), re.M)
    assert len({*logs}) == len(logs) == 3, logs  # with that of the analysis


@pytest.mark.skipif(
    not (virtual_prefix("keras3-jax", JAX) / COMPLETE).exists(),
    reason="the environment keras3-jax of 2024-03 is deployed only where it is asked for",
)
def test_an_old_column_is_measured_with_its_own_versions(fresh):
    fresh.configure(models={"bert": {"predict": "default"}}, columns=[OLD])
    fresh.measure()
    (record,) = fresh.found()
    assert record["status"] == "ok", record["reason"]
    assert record["parity"]["framework_version"] == "keras 3.0.5, jax 0.4.20"
    assert record["parity"]["attention"] == "einsum"
    assert record["timing"]["legacy"]  # predict was left early, and called again
    # There, on a processor, a step's call returns when it is computed: no fence could be missed.
    assert not any(record["timing"]["late_ns"])
