"""What a comparison of archives says of all cells together, and of the machine."""

import math
from statistics import fmean, variance

import pytest
from compared_archives import compared, make_archive, upgraded, written
from record_changes import stretch
from results_factory import fail, uneven
from scipy.stats import t

from analysis.compare.summary import fixed_work, result


def test_it_begins_with_all_cells_together_and_with_the_machine(tmp_path):
    a = make_archive(tmp_path, "a", runs=3)
    slower = {"python_loop_ms": 60.0, "memory_copy_gib_per_s": 10.0}
    b = make_archive(tmp_path, "b", upgraded, runs=3, canaries=slower)
    (comparison,) = compared(tmp_path, a, b)
    _, text, _ = written(tmp_path, comparison)
    total = "Of 2 cells B is SLOWER in 2. Over all of them B takes 1.200 times as long as A"
    machine = "float32 matmul 1.000, bfloat16 matmul 1.000, memory copy 0.800 and Python loop 1.200"
    assert total in text and f"took, B over A: {machine} (geometric means)" in text
    # those of another library are other work
    newer = make_archive(tmp_path, "c", canaries={"identity": '{"environment": "newer"}'})
    (comparison,) = compared(tmp_path / "a", a, newer)
    assert fixed_work(comparison) == ""


@pytest.mark.parametrize("identity", ["{", "[1]", "[" * 100_000])
def test_a_canary_without_a_readable_identity_is_the_work_of_none(tmp_path, identity):
    a = make_archive(tmp_path, "a")
    b = make_archive(tmp_path, "b", canaries={"identity": identity})
    known = make_archive(tmp_path, "c", canaries={"identity": '{"environment": "e"}'})
    for other in (b, known):
        written(tmp_path, *compared(tmp_path / other.stem, a, other))
    (comparison,) = compared(tmp_path / "a", known, b)
    assert fixed_work(comparison) == ""


def test_a_single_run_does_not_count_as_compared(tmp_path):
    def lost_but_one(record):
        upgraded(record)
        if record["cell"]["column"] == "keras3-jax" and record["cell"]["run"] > 1:
            fail(record, "oom", "too much")

    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", lost_but_one)
    (comparison,) = compared(tmp_path, a, b)
    assert comparison.pairs["ratio"].notna().all()
    assert result(comparison).startswith("Of 1 cell B is SLOWER in 1. Over all")


def test_the_mean_over_all_cells_may_show_what_no_cell_shows(tmp_path):
    def noisy(record):
        uneven(record)
        stretch(record, 1.05)

    rows = tuple(("bert", "fit", size, 32) for size in range(1, 9))
    a, b = make_archive(tmp_path, "a", rows=rows), make_archive(tmp_path, "b", noisy, rows=rows)
    (comparison,) = compared(tmp_path, a, b)
    ratios, logs = list(comparison.pairs["ratio"]), []
    for cell in [*comparison.pairs["base_cell"], *comparison.pairs["other_cell"]]:
        logs.append([math.log(time) for time in cell.run_ms.values()])
    variances = [variance(of) / len(of) for of in logs]
    freedom = sum(variances) ** 2 / sum(of**2 / 2 for of in variances)
    half = t.ppf(0.975, freedom) * math.sqrt(sum(variances)) / len(ratios)
    low, mean, high = (math.exp(fmean(map(math.log, ratios)) + by) for by in (-half, 0, half))
    told = f"{mean:.3f} times as long as A (geometric mean, 95 % interval {low:.3f} to {high:.3f}: "
    assert result(comparison).endswith(f"{told}SLOWER).") and "AMBIGUOUS in" in result(comparison)


@pytest.mark.parametrize("nodes", [1, 2])
def test_the_mean_has_no_interval_where_cells_share_several_nodes(tmp_path, nodes):
    def spread(record):
        record["session"]["node"] = f"{record['cell']['run'] % nodes:08x}"

    a, b = make_archive(tmp_path, "a", spread), make_archive(tmp_path, "b", upgraded)
    told = result(*compared(tmp_path, a, b))
    assert ("on several nodes without an interval" in told) == (nodes == 2)


def test_of_many_cells_it_says_how_many_intervals_miss_by_chance(tmp_path):
    rows = tuple(("bert", "fit", size, 32) for size in range(1, 21))
    a, b = (make_archive(tmp_path, name, rows=rows) for name in "ab")
    (comparison,) = compared(tmp_path, a, b)
    assert "Of 40 cells B is SAME in 40; about 2 of so many 95 % intervals" in result(comparison)
