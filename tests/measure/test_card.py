"""Which of its entries a card says were read, and which not."""

from types import SimpleNamespace

import pytest

from measure import card

FLASH = "scaled_dot_product_flash_attention"
READ = {"attention": "matmul", "threads": 2, "flush_denormals": None}


def framework(**changes):
    return SimpleNamespace(
        cell=SimpleNamespace(accelerator="cpu"),
        parity=lambda: {**READ, **changes},
        precision=lambda: {"matmul_precision": "float32", "convolution_precision": "float32"},
        declared={"threads", "attention"},
    )


def test_a_card_names_the_entries_that_nothing_was_read_for():
    found = card.parity(framework(), {"images_per_step": 4})
    assert found["declared"] == "attention, threads"
    found = card.parity(framework(threads=None), {"images_per_step": None})
    assert found["declared"] == "attention"
    assert "convolution_precision" not in found


@pytest.mark.parametrize(
    ("attention", "kernels", "declared", "kernel"),
    [
        ("sdpa", [FLASH], None, FLASH),
        ("matmul", [FLASH], None, FLASH),  # a compiler fused it
        ("matmul", [], None, "none seen"),
        ("sdpa", [], "attention", "none seen"),  # the profile shows no such kernel
    ],
)
def test_a_profile_settles_what_was_only_declared(attention, kernels, declared, kernel):
    before = {**READ, "attention": attention, "declared": "attention"}
    after = card.with_profile(before, kernels)
    assert after.get("declared") == declared
    assert after["attention_kernel"] == kernel
    kept = card.with_profile({**before, "declared": "attention, threads"}, kernels)
    assert "threads" in kept["declared"]
