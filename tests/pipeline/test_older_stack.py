"""A column on the published benchmark's libraries, where somebody has deployed its environment."""

import json

import pytest

from deploy.environments import virtual_prefix
from deploy.virtual_environments import COMPLETE
from tests.pipeline.conftest import ROOT

JAX = ROOT / "envs/2024-03/cpu/keras3-jax.yaml"
pytestmark = pytest.mark.skipif(
    not (virtual_prefix("keras3-jax", JAX) / COMPLETE).exists(),
    reason="the environment keras3-jax of 2024-03 is deployed only where it is asked for",
)


def measured(project):
    """The record of BERT predict on Keras 3.0.5 and JAX 0.4.20, whose steps at laptop scale are
    long enough to tell one that is queued from one that is done.
    """
    config = (project.folder / "config/config.yaml").read_text()
    columns = next(line for line in config.splitlines() if line.startswith("columns:"))
    column = "columns: [{framework: keras3-jax, stack: 2024-03}]"
    project.edit("config/config.yaml", columns, column)
    project.edit("config/config.yaml", "scale: smoke", "scale: laptop")
    project.edit("config/config.yaml", "    fit: default\n", "")
    done = project.snakemake("--quiet", "all")
    assert done.returncode == 0, done.stderr
    (record,) = project.records().values()
    return json.loads(record)


def test_an_old_column_is_measured_with_its_own_versions(fresh):
    record = measured(fresh)
    assert record["status"] == "ok", record["reason"]
    assert record["parity"]["framework_version"] == "keras 3.0.5, jax 0.4.20"
    assert record["parity"]["attention"] == "einsum"
    assert record["timing"]["legacy"]  # predict was left, and called again


def test_its_predict_without_a_fence_is_no_number(fresh):
    kept = "            clock.on_predict_batch_end = self._look\n"
    fresh.edit("workflow/measure/frameworks/keras3_jax.py", kept, "")
    record = measured(fresh)
    assert record["status"] == "invalid"
    assert "the clock stopped before the work did" in record["reason"]
