"""A column on the published benchmark's libraries, where somebody has deployed its environment."""

import re

import pytest

from millistep.deploy.environments import virtual_prefix
from millistep.deploy.virtual_environments import COMPLETE
from tests.shared import ROOT

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
