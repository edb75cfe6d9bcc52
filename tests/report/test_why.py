"""Why a configuration is slower: parts of a step and their differences, calculated by hand."""

import numpy as np
import pytest
from scipy import stats

from millistep.analysis.topics import why
from tests.report.made import SETTINGS, configuration, made, profile

BERT = ("bert", "fit", 4)
JAX, TORCH = "keras3-jax", "keras3-torch"
MATMUL, GELU, COPY, UPDATE = "aten::mm", "aten::gelu", "aten::copy_", "aten::_foreach_add_"
PRODUCTS = "products and attention"
ON_A_GPU = {**SETTINGS, "accelerator": "cuda"}


def pair(jax, torch, steps=(8.0, 16.0), profiled=3, noise=0.0, **options):
    """Return two configurations with these operations; all runs of one take the same time."""
    times = {JAX: steps[0], TORCH: steps[1]}
    operations = {JAX: jax, TORCH: torch}

    def change(record):
        name, run = record["cell"]["column"], record["cell"]["run"]
        of_run = operations[name](run) if callable(operations[name]) else operations[name]
        share = 1e-4 * len(name) + noise * (name == TORCH)
        for block in record["timing"]["windows"]:
            block["elapsed_ns"] = round(times[name] * 1e7 * (1 + share * run))
        found = profile(times[name], of_run, **options)
        record["host_overhead"] = found if run <= profiled else None

    return made({BERT: times}, change=change)


def parts(data):
    return why.table(data).set_index("part")


def test_the_parts_of_the_difference_add_up_to_the_gap():
    data = pair({MATMUL: 5.0, GELU: 2.0}, {MATMUL: 8.0, GELU: 3.0, COPY: 1.0})
    found = parts(data)
    more = found["more_ms"]
    named = more[[PRODUCTS, "elementwise", "copies and casts", "idle time"]]
    assert named.tolist() == pytest.approx([3.0, 1.0, 1.0, 3.0], rel=2e-2)
    assert more.drop("step").sum() == pytest.approx(more["step"])
    assert found["gap_ms"].unique() == pytest.approx(more["step"])
    assert set(found.index[found["reason"]]) == set(named.index)


def test_the_sentence_names_the_largest_reasons_first():
    data = pair({MATMUL: 5.0, GELU: 2.0}, {MATMUL: 9.0, GELU: 3.0, COPY: 1.0})
    (text,) = why.sentences(why.table(data))
    more = "Keras 3 (PyTorch) takes 8.0 ms more per step than Keras 3 (JAX)"
    assert text.startswith(f"bert fit: {more}")
    assert "4.0 ms products and attention, 2.0 ms idle time and 1.0 ms" in text
    assert "less" not in text


def test_reasons_that_exceed_the_difference_are_set_off():
    data = pair({MATMUL: 5.0, GELU: 0.5, COPY: 0.5}, {MATMUL: 8.0, GELU: 0.1, COPY: 0.1})
    (text,) = why.sentences(why.table(data))
    assert text.endswith(
        "8.0 ms more per step than Keras 3 (JAX): 5.8 ms idle time and 3.0 ms products and "
        "attention, but 0.80 ms less in other parts."
    )


def test_no_sentence_if_the_time_is_not_shown_to_differ():
    data = pair({MATMUL: 5.0}, {MATMUL: 5.0}, steps=(8.0, 8.0))
    assert why.sentences(why.table(data)) == []


def test_a_part_that_varies_more_between_rounds_than_it_differs_is_no_reason():
    """The mean is 1 ms more, but in rounds -2, 1 and 4 ms: the same sign in two of three."""
    data = pair({MATMUL: 4.0}, lambda run: {MATMUL: 2.0 + 3.0 * (run - 1)})
    found = parts(data).loc[PRODUCTS]
    assert found["more_ms"] == pytest.approx(1.0, rel=1e-2) and not found["reason"]
    half = stats.t.ppf(0.975, 2) * 3.0 / np.sqrt(3)
    assert found["low_ms"] <= 1.0 - half * 0.99


def test_of_one_profile_parts_count_that_exceed_the_noise_of_the_difference():
    operations = {MATMUL: 5.0, GELU: 2.0}, {MATMUL: 8.0, GELU: 3.5, COPY: 1.0}
    found = parts(pair(*operations, profiled=1))
    assert found["reason"][[PRODUCTS, "elementwise"]].all() and not found["reason"]["step"]
    noisy = parts(pair(*operations, profiled=1, noise=0.05))  # 17.6 +- 2 against 8 ms
    assert noisy["reason"][[PRODUCTS, "elementwise"]].tolist() == [True, False]
    half = (noisy["high_ms"] - noisy["low_ms"])["elementwise"] / 2
    assert 1.5 < half == pytest.approx((noisy["high_ms"] - noisy["low_ms"])[PRODUCTS] / 2)


def test_unnamed_operations_count_together_with_products():
    data = pair({"ynn_program": 5.0, GELU: 2.0}, {MATMUL: 8.0, GELU: 3.0, COPY: 1.0})
    found = parts(data)
    assert found["more_ms"][why.UNNAMED] == pytest.approx(3.0, rel=2e-2)
    assert found["more_ms"][[PRODUCTS, "other"]].tolist() == [0.0, 0.0]
    assert "3.0 ms products and unnamed operations" in why.sentences(why.table(data))[0]


def test_a_part_that_the_profiler_may_have_added_is_no_reason():
    """Idle time is a tenth of either step, but the profiler makes a step 10 % longer."""
    ten = pair({MATMUL: 7.2}, {MATMUL: 6.72, UPDATE: 7.68}, slowed=1.1)
    found = parts(ten)
    assert found.loc["idle time", "more_ms"] == pytest.approx(0.8, rel=2e-2)
    assert found.loc["idle time", "low_ms"] < 0 < found.loc["idle time", "high_ms"]
    assert found.loc["optimizer", "reason"] and not found.loc["idle time", "reason"]


def test_a_gpu_times_its_own_kernels_whatever_the_profiled_step_took():

    def change(record):
        name = record["cell"]["column"]
        record["host_overhead"] = profile(8.0 if name == JAX else 20.0, {MATMUL: 5.0})

    columns = [{**configuration(name), "settings": ON_A_GPU} for name in (JAX, TORCH)]
    data = made({BERT: {JAX: 8.0, TORCH: 16.0}}, columns=columns, change=change)
    found = parts(data)
    assert found.loc["idle time", "more_ms"] == pytest.approx(8.0, rel=3e-2)
    shares = why.idle_shares(data).set_index("configuration")["idle_share"]
    assert shares.tolist() == pytest.approx([3 / 8, 11 / 16], rel=2e-2)


def test_unlisted_operations_are_computing_too():
    data = pair({MATMUL: 5.0}, {MATMUL: 5.0}, rest_ms=1.0)
    shares = why.idle_shares(data).set_index("configuration")["idle_share"]
    assert shares[JAX] == pytest.approx(2 / 8, rel=1e-2)


def test_the_parts_of_real_profiles_add_up_to_their_step(six, h100):
    for data in (six, h100):
        found = why.parts(data)
        assert np.allclose(found.drop(columns="step").sum(axis=1), found["step"])


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("aten::mm", PRODUCTS),
        ("aten::_scaled_dot_product_flash_attention", PRODUCTS),
        ("dot.3", PRODUCTS),
        ("aten::native_layer_norm", "normalization"),
        ("aten::embedding", "embedding and gather"),
        ("aten::copy_", "copies and casts"),
        ("aten::gelu", "elementwise"),
        ("aten::bernoulli_", "random numbers"),
        ("aten::_foreach_addcdiv_", "optimizer"),
        ("multiply_add_fusion in adam", "optimizer"),
        ("ResourceApplyAdam", "optimizer"),
        ("something unheard of", "other"),
    ],
)
def test_groups_of_operations(name, group):
    assert why.group_of(name) == group
