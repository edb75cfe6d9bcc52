"""What the report says of a table that was measured on a GPU, calculated again from its records."""

import pytest
from real_table import files, real_results

from analysis.caveats import collect
from analysis.data import Data
from analysis.data.operation_groups import Group, group_of
from analysis.topics.effects.compute import effects
from analysis.topics.why.ceilings import ceilings

FILES = files("h100.json")
RECORDS = {
    (data["cell"]["model"], data["cell"]["column"]): data
    for path, data in FILES.items()
    if path.startswith("results/records")
}


def step_ms(key):
    blocks = RECORDS[key]["timing"]["blocks"]
    return sum(b["elapsed_ns"] for b in blocks) / sum(b["steps"] for b in blocks) / 1e6


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return real_results(tmp_path_factory.mktemp("gpu"), of=FILES)


@pytest.fixture(scope="module")
def caveats(results):
    return {caveat.id: caveat for caveat in collect(results)}


def test_precisions_differ_where_products_are_in_float32_and_nowhere_else(caveats):
    """JAX computes float32 products in TF32 and PyTorch does not; Gemma's are in bfloat16."""
    seen = {
        column: RECORDS["gemma", column]["parity"] for column in ("keras3-jax", "pytorch-eager")
    }
    assert {card["dtype"] for card in seen.values()} == {"bfloat16"}
    assert {card["matmul_precision"] for card in seen.values()} == {"tf32", "float32"}
    assert {cell.row.model for cell in caveats["precision_differs"].cells} == {"bert"}


def test_tf32_is_what_separates_jax_from_eager_pytorch(results):
    found = effects(Data(results)).query("setting == 'precision'")
    (gain,) = found["speedup"].dropna()
    told, untold = step_ms(("bert", "pytorch-eager+tf32")), step_ms(("bert", "pytorch-eager"))
    assert gain == pytest.approx(untold / told) and gain > 3
    assert step_ms(("bert", "keras3-jax")) == pytest.approx(told, rel=0.01)


def test_without_a_fence_compiled_steps_seem_to_take_no_time(caveats):
    legacy = RECORDS["bert", "pytorch-compiled"]["timing"]["legacy"]["step_ms"]
    assert legacy < 0.001 * step_ms(("bert", "pytorch-compiled"))
    assert "PyTorch (compiled) 0.4" in caveats["legacy_differs"].sentence


def test_clocks_that_the_power_cap_held_down_are_named_with_their_columns(caveats):
    held = {
        key
        for key, record in RECORDS.items()
        if "power cap" in record["monitor"]["gpu"]["throttle_reasons"]
    }
    cells = caveats["throttled"].cells
    assert {(cell.row.model, cell.column.name) for cell in cells} == held
    assert "power cap" in caveats["throttled"].sentence


def test_no_kernel_of_note_is_in_no_group():
    for record in RECORDS.values():
        operations = record["host_overhead"]["operations"]
        other = sum(o["ms"] for o in operations if group_of(o["name"]) is Group.OTHER)
        assert other < 0.002 * sum(o["ms"] for o in operations)


def test_kernels_count_as_the_device_timed_them_under_a_profiler_that_slows_the_host(results):
    """Eager Gemma's profiled step took twice as long, its kernels did not."""
    of = ceilings(Data(results)).set_index(["model", "column"])
    key = ("gemma", "pytorch-eager")
    profile = RECORDS[key]["host_overhead"]
    kernels_ms = sum(o["ms"] for o in profile["operations"]) + profile["rest_ms"]
    assert profile["step_ms"] > 1.5 * step_ms(key)
    assert of.loc[key, "share"] == pytest.approx(1 - kernels_ms / step_ms(key), abs=0.01)
