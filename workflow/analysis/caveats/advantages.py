"""Which value of an entry of the parity card makes a step faster, where that is known beforehand.

A higher rank means faster, equal ranks mean no difference, and None means that only measuring could
show it.
"""

from collections.abc import Callable
from typing import Any

Card = dict[str, Any]
Rank = Callable[[Card, bool], float | None]  # (card, on a GPU)

HALF = {"bfloat16", "float16"}
NARROW = ("matmul_precision", "convolution_precision")  # what may compute below the dtype
SEEN = ("scaled_dot_product", "flex_attention")  # how fused kernels' names begin
NO_KERNEL = "none seen"  # no fused attention, in a profile that would have shown it
WRITTEN_OUT = {"einsum", "matmul", "eager"}
FUSED = {"flash_attention_2", "flash_attention_3"}  # not sdpa, which chooses while it runs


def _execution(card: Card, gpu: bool) -> float | None:
    # On a GPU a compiler also spares trips to memory; on processors it may choose worse kernels.
    return {"eager": 0, "graph": 1, "jit": 2 if gpu else 1}.get(card["execution"])


def _precision(card: Card, gpu: bool) -> float | None:
    if not gpu:
        return None  # many processors only emulate narrow numbers
    if card["dtype"] in HALF:
        return len(NARROW)
    used = [card[kind] for kind in NARROW if card.get(kind) is not None]
    known = {"float32", "tf32", "bfloat16", "float16"}
    return sum(kind != "float32" for kind in used) if used and set(used) <= known else None


def _attention(card: Card, gpu: bool) -> float | None:
    kernel, kind = card.get("attention_kernel") or "", card["attention"]
    if kernel.startswith(SEEN):  # a compiler may fuse what is written out
        return 0 if "math" in kernel else 1
    if kernel == NO_KERNEL or kind in WRITTEN_OUT:
        return 0
    return 1 if kind in FUSED else None


# The rank and the reason for it, by the first of the keys that are compared together.
ADVANTAGES: dict[str, tuple[Rank, str]] = {
    "execution": (_execution, "an eager step pays Python for every operation"),
    "dtype": (_precision, "narrower numbers are faster in the device's matrix units"),
    "attention": (_attention, "a fused kernel does not write the scores to memory"),
    "threads": (lambda card, gpu: None if gpu else card["threads"], "more threads compute"),
    "optimizer": (
        lambda card, _: "EMA" not in card["optimizer"],
        "a moving average is one more pass over the parameters",
    ),
    "flush_denormals": (lambda card, _: card["flush_denormals"], "denormal numbers are slow"),
    "metrics": (lambda card, _: card["metrics"] == "none", "a metric is computed in every step"),
    "prompt_positions": (lambda card, _: -card["prompt_positions"], "padding is computed, too"),
    "graph_breaks": (lambda card, _: -card["graph_breaks"], "each break returns to Python"),
    "cuda_graphs": (
        lambda card, _: card["cuda_graphs"],
        "one launch for a graph instead of one per kernel",
    ),
}


def rank(key: str, card: Card, gpu: bool) -> float | None:
    """The rank of a card's value under `key`; None where it is unknown."""
    if key not in ADVANTAGES or card.get(key) is None:
        return None
    return ADVANTAGES[key][0](card, gpu)


def favoured(ranks: dict[str, float | None]) -> list[list[str]]:
    """Values from the fastest rank down, those of equal rank together; empty when a rank is
    unknown.
    """
    if None in ranks.values() or len(set(ranks.values())) < 2:
        return []
    return [
        [value for value, found in ranks.items() if found == level]
        for level in sorted(set(ranks.values()), reverse=True)
    ]
