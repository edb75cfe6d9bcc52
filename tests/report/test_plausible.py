import pandas as pd
import pytest

from millistep.analysis import plausible


def judged(ms, references, accelerator="cpu", machine="m", **card):
    card = {"dtype": "float32", "matmul_precision": "float32", "convolution_precision": None} | card
    runs = pd.DataFrame(
        [
            {
                "status": "ok", "reason": "", "session": "s", "machine.id": machine,
                "accelerator": accelerator, "work.flops_per_step": 1e9, "fastest_window_ms": ms,
                **{f"parity.{name}": value for name, value in card.items()},
            }
        ]
    )  # fmt: skip
    names = ["session", "accelerator", "dtype", "flops_per_s"]
    return plausible.judged(runs, pd.DataFrame(references, columns=names)).iloc[0]


CPU = [("s", "cpu", "float32", 100e9), ("s", "cpu", "bfloat16", 400e9)]


def test_faster_than_the_best_product_is_invalid():
    assert judged(10.0, CPU)["status"] == "ok"
    assert judged(7.8, CPU)["status"] == "ok"  # 28 % above
    found = judged(7.6, CPU)  # 32 % above
    assert found["status"] == "invalid"
    assert "32\u00a0%" in found["reason"] and "synchronization" in found["reason"]
    assert found["best_flops_per_s"] == 100e9
    # the bar is 1e9 FLOPs in 10 ms / 1.3
    assert judged(10.0001 / 1.3, CPU)["status"] == "ok"
    assert judged(9.9999 / 1.3, CPU)["status"] == "invalid"


def test_a_slow_reference_beside_a_fast_one_makes_nothing_invalid():
    slow = [("s", "cpu", "float32", 25e9)]
    assert judged(10.0, slow)["status"] == "invalid"
    assert judged(10.0, [*slow, ("other workload", "cpu", "float32", 100e9)])["status"] == "ok"


def test_the_label_of_the_arithmetic_counts():
    assert judged(3.0, CPU)["status"] == "invalid"
    assert judged(3.0, CPU, matmul_precision="bfloat16")["status"] == "ok"
    assert pd.isna(judged(0.001, CPU, dtype="int4")["best_flops_per_s"])
    assert pd.isna(judged(0.001, [("s", "cpu", "bfloat16", 1e9)])["best_flops_per_s"])


def test_a_gpu_is_judged_by_its_own_products_and_winograd_is_allowed():
    cuda = [("s", "cuda", "float32", 100e9)]
    assert judged(8.9, cuda, "cuda")["status"] == "invalid"
    assert judged(9.2, cuda, "cuda")["status"] == "ok"
    assert judged(2.5, cuda, "cuda", convolution_precision="float32")["status"] == "ok"
    assert judged(2.2, cuda, "cuda", convolution_precision="float32")["status"] == "invalid"
    assert judged(0.001, CPU, "cuda")["status"] == "ok"


@pytest.mark.parametrize("references", [[], [("s", "cpu", None, None)]])
def test_nothing_is_judged_without_a_product(references):
    found = judged(0.001, references)
    assert found["status"] == "ok" and pd.isna(found["best_flops_per_s"])


def test_machines_have_products_of_their_own():
    """Of several machines, a reference belongs to that of the runs of its session."""
    keys = {"status": "ok", "reason": "", "accelerator": "cpu", "work.flops_per_step": 1e9,
            "parity.dtype": "float32", "parity.matmul_precision": None,
            "parity.convolution_precision": None}  # fmt: skip
    runs = pd.DataFrame(
        [
            keys | {"session": "s1", "machine.id": "slow", "fastest_window_ms": 5.0},
            keys | {"session": "s2", "machine.id": "fast", "fastest_window_ms": 5.0},
            keys | {"session": "s3", "machine.id": "none", "fastest_window_ms": 0.01},
            keys
            | {"session": "s1", "machine.id": "slow", "fastest_window_ms": 5.0}
            | {"status": "oom"},
        ]
    )
    names = ["session", "accelerator", "dtype", "flops_per_s"]
    lines = [("s1", "cpu", "float32", 100e9), ("s2", "cpu", "float32", 400e9)]
    lines += [("s1", "cpu", "float32", 90e9), ("s1", "cuda", "float32", 900e9)]
    found = plausible.judged(runs, pd.DataFrame(lines, columns=names))
    assert found["status"].tolist() == ["invalid", "ok", "ok", "oom"]
    assert found["best_flops_per_s"].tolist()[:2] == [100e9, 400e9]
    assert pd.isna(found.loc[2, "best_flops_per_s"])
    assert found.loc[0, "reason"] == (
        "its fastest window, 1.00 GFLOP in 5.000 ms, is 200 GFLOP/s, 100\u00a0% more than the best "
        "matrix product of this machine (100 GFLOP/s): a synchronization is missing, or its "
        "precision or FLOPs are wrong"
    )
