"""A configuration with columns on both devices, planned on a machine with a made-up nvidia-smi,
and its report from made-up records.
"""

import os
import re

import pytest
import yaml
from drawn_pages import pages_of
from results_factory import Project, step_ms
from tests.measure import nvidia_smi

from analysis.report.rendering import TEMPLATES
from deploy.environments import definition_sha256
from planning.plan import Plan
from supervise import device, machine

ROOT = TEMPLATES.parent
JAX, ON_CPU = "keras3-jax", "keras3-jax+cpu"
COLUMNS = [JAX, {"framework": JAX, "accelerator": "cpu"}]


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """``planned(broken)``: the project of the plan, where nvidia-smi finds an A100 or none."""

    def project(broken=False):
        folder = nvidia_smi.install(tmp_path / "bin", broken=broken)
        device.gpus.cache_clear()
        monkeypatch.setenv("PATH", folder, prepend=os.pathsep)
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
        config |= {"columns": COLUMNS, "models": {"bert": {"fit": 8}}, "runs": 3}
        config |= {"accelerator": "cuda", "scale": "laptop"}
        plan = Plan(config, definition_sha256, ROOT / "envs")
        return seen_by(Project(tmp_path, plan.document()))

    yield project
    device.gpus.cache_clear()


def seen_by(project):
    """Records, canaries and card as of this machine: with the GPU where a column sees it."""
    cards = {kind: machine.card(kind) for kind in ("cpu", "cuda")}
    for record in project.records.values():
        record["machine"] = cards[record["cell"]["accelerator"]]
    for kind, canaries in project.canaries_on.items():
        project.machine_card["ids"][kind] = cards[kind]["id"]
        for canary in canaries:
            canary["machine_id"] = cards[kind]["id"]
    return project


def page(project, figures):
    text = " ".join(pages_of(project, figures))
    return " ".join(re.sub(r"<[^>]*>", " ", text).replace("\u00a0", " ").split())


def test_a_plan_of_both_devices_is_measured_and_reported(planned, figures):
    project = planned()
    assert [column["settings"]["accelerator"] for column in project.plan["columns"]] == [
        "cuda",
        "cpu",
    ]
    assert [block["round"] for block in project.plan["blocks"]] == [1, 2, 3]
    text = page(project, figures)
    assert "cuda (1 column) and cpu (1 column)" in text
    assert "What does the GPU change?" in text
    assert f"{step_ms(JAX) * 1.002:.3f}" in text and f"{step_ms(ON_CPU) * 1.002:.3f}" in text
    for kind in ("cuda", "cpu"):
        assert f"work on {kind} before" in text
    assert f", {nvidia_smi.A100}, Linux" in text
    assert "more than one machine" not in text and "records are from" not in text


def test_without_a_gpu_its_column_says_so_and_the_other_is_reported(planned, figures):
    project = planned(broken=True)
    (row,) = project.plan["rows"]
    reasons = {cell["column"]: cell["unsupported"] for cell in project.plan["cells"]}
    assert reasons == {JAX: "no NVIDIA GPU was found here", ON_CPU: None}
    assert row["task"] == "fit"
    text = page(project, figures)
    assert "NA: no NVIDIA GPU was found here" in text
    assert f"{step_ms(ON_CPU) * 1.002:.3f}" in text
    assert "What does the GPU change?" in text and "unsupported" in text
