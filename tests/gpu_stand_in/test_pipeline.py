"""The whole pipeline with ``accelerator: cuda``, native PyTorch for CUDA on a simulated A100."""

import csv

import pytest

from tests.pipeline.conftest import Project, checkout

from . import harness
from .machine import Machine

KERNEL_US = 2000
ROWS = {"bert": {"fit": "default", "predict": "default"}, "gemma": {"generate": 1}}
COLUMNS = ["pytorch-eager", "pytorch-compiled"]


@pytest.fixture(scope="module")
def measured(pytorch, tmp_path_factory) -> tuple[Project, Machine]:
    folder = tmp_path_factory.mktemp("stand_in")
    machine = Machine(folder, pytorch).set(kernel_us=KERNEL_US)
    project = checkout(folder / "project")
    marker, _ = harness.environment_of("pytorch-eager")
    interpreters = dict.fromkeys(COLUMNS, marker["interpreter"])
    project.configure(accelerator="cuda", models=ROWS, columns=COLUMNS, interpreters=interpreters)
    project.configure(environment=machine.variables)
    project.made(**machine.environ())
    return project, machine


@pytest.fixture(scope="module")
def records(measured):
    return measured[0].found()


def test_every_cell_is_measured_on_the_device(measured, records):
    project, machine = measured
    with open(project.folder / "results/runs.csv", newline="") as lines:
        runs = list(csv.DictReader(lines))
    statuses = {(run["model"], run["task"], run["configuration"]): run["status"] for run in runs}
    rows = [(model, task) for model, tasks in ROWS.items() for task in tasks]
    planned = {(*row, column) for row in rows for column in COLUMNS}
    assert statuses == dict.fromkeys(planned, "ok"), [record["reason"] for record in records]
    assert len(machine.processes()) >= len(planned)


def test_records_say_which_device_it_was(records):
    for record in records:
        machine, parity = record["machine"], record["parity"]
        assert machine["accelerator_name"] == "NVIDIA A100-SXM4-40GB (stand-in)"
        assert machine["accelerator_memory_mib"] == 40 * 1024
        assert parity["device"] == machine["accelerator_name"]
        assert (parity["cuda_version"], parity["cudnn_version"]) == ("13.0", "9.20.0")
        assert record["memory"]["device_limit_mib"] == pytest.approx(0.9 * 40 * 1024)
        assert 0 < record["memory"]["peak_device_mib"] < 1024
        gpu = record["monitor"]["gpu"]
        assert gpu["foreign_processes"] == 0
        assert gpu["process_memory_mib"]["max"] >= record["memory"]["peak_device_mib"]


def test_compiled_steps_are_replayed_graphs(records):
    """Except in the pass over a prompt, which `generate` leaves eager."""
    compiled = [r for r in records if r["parity"]["execution"] == "jit"]
    assert {(r["cell"]["model"], r["cell"]["task"]) for r in compiled} == {
        (model, task) for model, tasks in ROWS.items() for task in tasks
    }
    for record in compiled:
        parity, compilations = record["parity"], record["timing"]["compilations"]
        assert (parity["compiler"], parity["compile_mode"]) == ("inductor", "reduce-overhead")
        assert parity["graphs"] >= 1 and parity["graph_breaks"] == 0
        assert (parity["cuda_graphs"], parity["cuda_graphs_skipped"]) == (True, None)
        assert compilations["before_timing"] >= 1 and compilations["during_timing"] == 0
        assert parity["attention_kernel"] == "scaled_dot_product_efficient_attention"
