"""A table with columns on the processor and on the GPU of one machine."""

import pytest
from quiet_table import found, ids, on_processor, record
from results_factory import Project, make_plan

from analysis.compare.archives import Archive
from analysis.compare.cells import compare
from analysis.report import machine
from analysis.report.methods_text import methods_text
from analysis.report.setting import facts, machines
from analysis.tables.model import main_table

JAX, ON_CPU = "keras3-jax", "keras3-jax+cpu"
H100 = "NVIDIA H100 80GB HBM3"


@pytest.fixture
def mixed(tmp_path):
    """A row of two columns that differ in the accelerator; the GPU is a hundred times faster."""
    rows = (("bert", "fit", 8, 32),)
    plan = make_plan(rows=rows, columns=(JAX, ON_CPU), accelerator="cuda", scale="paper")
    project = Project(tmp_path, plan)
    gpu = {"id": "m1-gpu", "accelerator_name": H100, "accelerator_memory_mib": 81_559}
    project.change(lambda r: r["machine"].update(gpu), column=JAX)
    project.machine_card["ids"]["cuda"] = gpu["id"]
    for canary in project.canaries_on["cuda"]:
        canary["machine_id"] = "m1-gpu"
        for product in canary["matmul"]:
            product["flops_per_s"] *= 100
    return project


def columns(caveat):
    return [cell.column.name for cell in caveat.cells]


def test_the_processor_and_the_gpu_of_one_machine_are_one_machine(mixed):
    assert found(mixed, "several_machines") == []
    results = mixed.load()
    assert machines(results) == f"Example CPU, 2 cores, 16 GiB, {H100}, Linux 6.1"
    assert "records are from" not in machine.card_note(results)
    base, other = (Archive(name, f"{name}.zip", "00", results) for name in "AB")
    assert not compare(base, other).machines_differ


def test_two_gpus_in_hosts_of_one_kind_are_two_machines_and_so_is_another_host(mixed):
    mixed.change(lambda r: r["machine"].update(id="m2-gpu"), column=JAX, run=2)
    assert len(found(mixed, "several_machines")) == 1
    mixed.change(lambda r: r["machine"].update(id="m3", cores=64), column=JAX)
    assert len(found(mixed, "several_machines")) == 1
    note = machine.card_note(mixed.load())
    assert "The card is of m1 and m1-gpu; records are from m3 too." in note


def test_the_card_is_that_of_each_accelerator_alone(mixed):
    mixed.fail("timeout", column=JAX)
    assert "records are from" not in machine.card_note(mixed.load())


@pytest.mark.parametrize(("kind", "column"), [("cuda", JAX), ("cpu", ON_CPU)])
def test_a_drift_that_is_shown_or_not_known_is_that_of_its_accelerator(mixed, kind, column):
    mixed.canaries_on[kind][3]["python_loop_ms"] *= 1.05
    (shown,) = found(mixed, "session_drifted")
    assert f"before in 1 of 3 sessions on {kind}, by" in shown.sentence
    mixed.canaries_on[kind][2] = None
    (unknown,) = found(mixed, "drift_unknown")
    expected = f"for 2 of 3 sessions on {kind} (of their canaries, BERT fit round 2: the one after"
    assert expected in unknown.sentence
    for caveat in (shown, unknown):
        assert caveat.evidence["accelerator"] == kind and columns(caveat) == [column]


def test_canaries_of_one_accelerator_say_nothing_of_the_other(mixed):
    mixed.canaries_on.pop("cpu")
    (caveat,) = found(mixed, "drift_unknown")
    assert columns(caveat) == [ON_CPU] and "between the runs on cpu:" in caveat.sentence


def test_a_time_is_plausible_by_the_peak_of_its_own_accelerator(mixed):
    mixed.change(lambda r: r["work"].update(flops_per_step=8e9))  # some 1e12 FLOP/s
    gpu, cpu = mixed.load().cells
    assert gpu.status == "ok" and gpu.runs[0].share_of_peak == pytest.approx(0.1, rel=0.02)
    assert cpu.status == "invalid"


def test_a_processor_that_ran_in_another_way_than_the_gpu_is_named(mixed):
    mixed.change(lambda r: r["parity"].update(execution="eager"), column=ON_CPU)
    (caveat,) = found(mixed, "execution_differs")
    assert columns(caveat) == [JAX, ON_CPU]
    assert "jit / xla in Keras 3 (JAX); eager / xla in Keras 3 (JAX), cpu" in caveat.sentence


def test_a_table_of_one_column_has_one_accelerator(tmp_path):
    results = Project(tmp_path, make_plan(columns=(JAX,))).load()
    assert dict(facts(results))["Accelerator"] == "cpu"


def test_the_report_says_what_ran_where(mixed):
    results = mixed.load()
    assert dict(facts(results))["Accelerator"] == "cuda (1 column) and cpu (1 column)"
    assert "accelerator: cuda and cpu;" in main_table(results).caption
    assert "Keras 3 (JAX), cpu ran on cpu, the other columns on cuda." in methods_text(results)[0]
    for grid, kind in zip(machine.canaries(results), ("cpu", "cuda"), strict=True):
        assert f"work on {kind} before" in grid.caption


def test_a_table_is_measured_on_the_processor_where_the_gpu_is_not_there_and_needs_no_canary(mixed):
    assert found(mixed, "measured_on_cpu") == []
    cell = next(cell for cell in mixed.plan["cells"] if cell["column"] == JAX)
    cell.update(unsupported="there is no GPU", runs=[])
    mixed.records = {k: r for k, r in mixed.records.items() if r["cell"]["column"] == ON_CPU}
    assert found(mixed, "drift_unknown") == []
    assert len(found(mixed, "measured_on_cpu")) == 1


# Of operations on the processor alone, what has no meaning for them is no caveat.
WITHOUT_MEANING = {"random_weights", "measured_on_cpu", "plausibility_not_tested"}


def test_operations_without_a_framework_have_no_weights_no_peak_and_no_other_device(quiet):
    quiet.plan.update(weights="random")
    on_processor(quiet)
    record("work", run=0, flops_per_step=None)(quiet)
    before = {*ids(quiet)}
    assert before >= WITHOUT_MEANING
    one, other = quiet.plan["columns"]
    one["family"] = "host"  # beside a net they are said
    assert {*ids(quiet)} >= {"random_weights", "measured_on_cpu"}
    other["family"] = "host"
    assert {*ids(quiet)} == before - WITHOUT_MEANING
