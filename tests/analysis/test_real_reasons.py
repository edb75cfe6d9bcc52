"""What the report says of a real table and of one from a GPU, calculated again from the records as
they lie on the disk, without any of the code that says it.
"""

import copy
import re
from statistics import fmean

import numpy as np
import pytest
from real_table import FILES, files, real_results

from analysis.caveats import collect
from analysis.comparisons.findings import findings
from analysis.data import Data
from analysis.data.operation_groups import Group, group_of
from analysis.topics.effects.compute import effects
from analysis.topics.why.ceilings import ceilings
from analysis.topics.why.compute import GROUPS, IDLE, cell_operations, cell_parts
from analysis.topics.why.differences import differences
from analysis.topics.why.section import rows

CELL = re.compile(r"results/records/smoke/(\w+)/(\w+)-b(\d+)/([\w-]+)/run(\d).json")


def records(model, column):
    """By run."""
    found = [(CELL.match(path), data) for path, data in FILES.items() if CELL.match(path)]
    return {int(m[5]): data for m, data in found if (m[1], m[4]) == (model, column)}


def step_ms(record):
    blocks = record["timing"]["blocks"]
    return sum(b["elapsed_ns"] for b in blocks) / sum(b["steps"] for b in blocks) / 1e6


def canaries():
    blocks = [data for path, data in FILES.items() if path.startswith("results/blocks")]
    sessions = [session for block in blocks for session in block["sessions"]]
    return [c for s in sessions for around in s["canaries"].values() for c in around.values() if c]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Others worked beside one run of four columns of BERT; here they do beside all of these."""
    quiet, beside = ("pytorch-eager", "pytorch-compiled"), copy.deepcopy(FILES)
    for path, data in beside.items():
        if (found := CELL.match(path)) and found[1] == "bert" and found[4] not in quiet:
            data["load"]["foreign_cpu_share"] = 0.3
    return real_results(tmp_path_factory.mktemp("real"), of=beside)


@pytest.fixture(scope="module")
def caveats(results):
    return {caveat.id: caveat for caveat in collect(results)}


def test_in_at_least_half_of_a_step_nothing_computes(caveats):
    caveat = caveats["host_overhead_high"]
    assert {cell.column.name for cell in caveat.cells} >= {"keras3-torch", "pytorch-eager"}
    for cell in caveat.cells:
        for record in records("gemma", cell.column.name).values():
            found = record["host_overhead"]
            busy = sum(operation["ms"] for operation in found["operations"]) + found["rest_ms"]
            assert 1 - busy / found["step_ms"] > 0.5


def test_the_published_arithmetic_lies_beyond_every_block_of_its_process(caveats):
    for cell in caveats["legacy_differs"].cells:
        taken = [
            r for r in records(cell.row.model, cell.column.name).values() if r["timing"]["legacy"]
        ]
        for record in taken:
            times = [b["elapsed_ns"] / b["steps"] / 1e6 for b in record["timing"]["blocks"]]
            assert not min(times) <= record["timing"]["legacy"]["step_ms"] <= max(times)


def test_arithmetic_is_a_small_part_of_a_step_at_the_peak_of_the_machine(caveats):
    """By canaries beside which nobody worked."""
    quiet = [c for c in canaries() if (c["foreign_cpu_share"] or 0.0) < 0.1]
    peak = max(p["flops_per_s"] for c in quiet for p in c["matmul"] if p["dtype"] == "float32")
    for cell in caveats["overhead_bound"].cells:
        found = records(cell.row.model, cell.column.name).values()
        shares = [r["work"]["flops_per_step"] / (step_ms(r) / 1e3) / peak for r in found]
        assert fmean(shares) < 0.05


def test_no_session_drifted_by_a_canary_that_others_disturbed(caveats):
    disturbed = [c for c in canaries() if (c["foreign_cpu_share"] or 0.0) >= 0.1]
    assert disturbed and "was disturbed: others used" in caveats["drift_unknown"].sentence
    told = caveats.get("session_drifted")
    sessions = told.evidence["time_after_over_before"] if told else {}
    for key in sessions:
        block = next(
            session
            for path, data in FILES.items()
            if path.startswith("results/blocks")
            for session in data["sessions"]
            if session["id"] == key.rpartition("/")[2]
        )
        around = [c for pair in block["canaries"].values() for c in pair.values()]
        assert all((c["foreign_cpu_share"] or 0.0) < 0.1 for c in around)


def test_why_a_column_is_slower_as_its_profiles_and_times_say(results):
    """Keras 3 on PyTorch under its profiler is shown to be slower, JAX' steps too; what is left is
    the timed step, of which the sentence names what the rounds agree in.
    """
    jax, torch = records("gemma", "keras3-jax"), records("gemma", "keras3-torch")
    whole = fmean(step_ms(torch[run]) - step_ms(jax[run]) for run in torch)
    gemma = list(rows(Data(results)))[1]
    sentence = next(s for s in gemma["sentences"] if s.startswith("Keras 3 (PyTorch)"))
    assert f"takes {whole:.2f} ms more" in sentence
    idle = float(re.search(r"\+([\d.]+) ms \(\d+\u00a0%\) in which nothing", sentence)[1])
    # As it was profiled the share of it is the larger of the two, since the profiler works there.
    profiled = [r["host_overhead"]["share"] * step_ms(r) for r in torch.values()]
    assert 0.9 * fmean(profiled) < idle < fmean(profiled)


def test_findings_name_ratios_of_times_in_the_records(results):
    found = {finding.id: finding for finding in findings(results)}
    ratio = 1.0
    jax = records("gemma", "keras3-jax")
    native = {name: records("gemma", name) for name in ("pytorch-eager", "pytorch-compiled")}
    means = {name: fmean(map(step_ms, of.values())) for name, of in native.items()}
    fastest = native[min(means, key=means.get)]
    for run in jax:
        ratio *= step_ms(fastest[run]) / step_ms(jax[run])
    gain = found["keras3_over_pytorch"].numbers["gain"]["gemma/generate/2"]
    assert gain == pytest.approx(ratio ** (1 / len(jax)) - 1)
    assert (
        str(found["keras3_over_keras2"].verdict) == "not measured"
    )  # one was disturbed, one is NA


def test_products_of_a_real_table_are_the_same_operations_compiled_or_not(results):
    """Both ran 16 aten::mm, 8 aten::addmm and 6 aten::bmm, which hold what computes nothing."""
    found = differences(Data(results)).query("column == 'pytorch-eager' and task == 'fit'")
    assert set(found["fastest"]) == {"pytorch-compiled"}
    products = found.set_index("part").loc[Group.PRODUCTS]
    operations = cell_operations(Data(results)).query("task == 'fit' and group == @GROUPS[0]")
    assert operations.groupby("column")["count"].sum()[found["column"].iloc[0]] == 30
    assert products["other_operations_ms"] == pytest.approx(0.0, abs=1e-9)
    assert products["same_operations_ms"] == pytest.approx(products["difference_ms"])
    # What one compiled piece does in the other column's stead is named otherwise there.
    norms = found.set_index("part").loc[Group.NORMALISATION]
    assert norms["other_operations_ms"] == pytest.approx(norms["difference_ms"])


def test_parts_of_real_steps_add_up_and_nothing_is_said_of_what_tells_nothing(results):
    parts = cell_parts(Data(results))
    assert len(parts) > 5
    assert np.allclose(parts[[IDLE, *GROUPS]].sum(axis=1), parts["step_ms"])
    bert, gemma = rows(Data(results))
    missing = [sentence for sentence in bert["sentences"] if "is not compared: other" in sentence]
    assert [sentence.partition(" is")[0] for sentence in missing] == [
        *("Keras 2 (TensorFlow)", "Keras 3 (TensorFlow)", "Keras 3 (JAX)", "Keras 3 (PyTorch)"),
    ]
    torch = next(s for s in gemma["sentences"] if s.startswith("Keras 3 (PyTorch)"))
    assert torch.startswith(
        "Keras 3 (PyTorch) takes 92.72 ms more: +77.34 ms (83\u00a0%) in which nothing "
    )
    told = [sentence.startswith("Keras 3 (PyTorch) takes") for sentence in gemma["sentences"]]
    assert any(told) and "of the same names" not in gemma["sentences"][told.index(True)]


GPU = files("h100.json")
RECORDS = {
    (data["cell"]["model"], data["cell"]["column"]): data
    for path, data in GPU.items()
    if path.startswith("results/records")
}


def gpu_ms(*key):
    return step_ms(RECORDS[key])


@pytest.fixture(scope="module")
def on_gpu(tmp_path_factory):
    return real_results(tmp_path_factory.mktemp("gpu"), of=GPU)


@pytest.fixture(scope="module")
def gpu_caveats(on_gpu):
    return {caveat.id: caveat for caveat in collect(on_gpu)}


def test_precisions_differ_where_products_are_in_float32_and_nowhere_else(gpu_caveats):
    """JAX computes float32 products in TF32 and PyTorch does not; Gemma's are in bfloat16."""
    seen = {
        column: RECORDS["gemma", column]["parity"] for column in ("keras3-jax", "pytorch-eager")
    }
    assert {card["dtype"] for card in seen.values()} == {"bfloat16"}
    assert {card["matmul_precision"] for card in seen.values()} == {"tf32", "float32"}
    assert {cell.row.model for cell in gpu_caveats["precision_differs"].cells} == {"bert"}


def test_tf32_is_what_separates_jax_from_eager_pytorch(on_gpu):
    found = effects(Data(on_gpu)).query("setting == 'precision'")
    (gain,) = found["speedup"].dropna()
    told, untold = gpu_ms("bert", "pytorch-eager+tf32"), gpu_ms("bert", "pytorch-eager")
    assert gain == pytest.approx(untold / told) and gain > 3
    assert gpu_ms("bert", "keras3-jax") == pytest.approx(told, rel=0.01)


def test_without_a_fence_compiled_steps_seem_to_take_no_time(gpu_caveats):
    legacy = RECORDS["bert", "pytorch-compiled"]["timing"]["legacy"]["step_ms"]
    assert legacy < 0.001 * gpu_ms("bert", "pytorch-compiled")
    assert "PyTorch (compiled) 0.4" in gpu_caveats["legacy_differs"].sentence


def test_clocks_that_the_power_cap_held_down_are_named_with_their_columns(gpu_caveats):
    held = {
        key
        for key, record in RECORDS.items()
        if "power cap" in record["monitor"]["gpu"]["throttle_reasons"]
    }
    cells = gpu_caveats["throttled"].cells
    assert {(cell.row.model, cell.column.name) for cell in cells} == held
    assert "power cap" in gpu_caveats["throttled"].sentence


def test_no_kernel_of_note_is_in_no_group():
    for record in RECORDS.values():
        operations = record["host_overhead"]["operations"]
        other = sum(o["ms"] for o in operations if group_of(o["name"]) is Group.OTHER)
        assert other < 0.002 * sum(o["ms"] for o in operations)


def test_kernels_count_as_the_device_timed_them_under_a_profiler_that_slows_the_host(on_gpu):
    """Eager Gemma's profiled step took twice as long, its kernels did not."""
    of = ceilings(Data(on_gpu)).set_index(["model", "column"])
    key = ("gemma", "pytorch-eager")
    profile = RECORDS[key]["host_overhead"]
    kernels_ms = sum(o["ms"] for o in profile["operations"]) + profile["rest_ms"]
    assert profile["step_ms"] > 1.5 * gpu_ms(*key)
    assert of.loc[key, "share"] == pytest.approx(1 - kernels_ms / gpu_ms(*key), abs=0.01)
