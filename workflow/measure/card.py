"""What a run says of itself: its parity card, and what its peak of memory counts.

An entry of the card is read back from the live framework. Where there is nothing to read,
it stands on the card all the same and its name in ``declared``.
"""

from measure import cuda_libraries
from measure.frameworks import Framework

# What a builder calls an attention without a fused kernel.
WRITTEN_OUT = ("einsum", "matmul", "eager", "none")
NO_KERNEL = "none seen"  # of a fused attention, by a profile that would have shown one


def parity(framework: Framework, amount: dict) -> dict:
    """What really ran, less what has no meaning for a model without images."""
    card = {**framework.parity(), **framework.precision()}
    if framework.cell.accelerator == "cuda":
        card |= cuda_libraries.versions()
    if amount["images_per_step"] is None:
        for name in ("image_data_format", "convolution_precision"):
            card.pop(name, None)
    names = getattr(framework, "declared", ())
    return with_declared(card, [name for name in sorted(names) if card[name] is not None])


def with_attention_seen(card: dict, kernels: list[str]) -> dict:
    """The card once a profile has shown which fused kernels of attention ran, if any.

    What a profile has shown is no longer only declared; that an attention is written
    out shows in that no such kernel ran.
    """
    card = {**card, "attention_kernel": ", ".join(kernels) or NO_KERNEL}
    if not kernels and card["attention"] not in WRITTEN_OUT:
        return card
    left = [name for name in card.get("declared", "").split(", ") if name not in ("attention", "")]
    return with_declared(card, left)


def with_declared(card: dict, names: list[str]) -> dict:
    """The card, saying of these entries that they are only declared."""
    known = {name: value for name, value in card.items() if name != "declared"}
    return {**known, "declared": ", ".join(names)} if names else known


def peak_device(framework: Framework) -> dict:
    """The record's peak of device memory and what it counts; None where nothing is counted."""
    peak_mib = framework.peak_device_mib()
    words = getattr(framework, "peak_device_counts", None)
    return {
        "peak_device_mib": peak_mib,
        "peak_device_counts": None if peak_mib is None else words,
    }
