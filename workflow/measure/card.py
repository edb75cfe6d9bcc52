"""A run's parity card, and its peak of device memory with what that counts.

Entries are read back from the live framework. One that cannot be read is on the card all the same,
and its name in ``declared``.
"""

from measure import cuda_libraries
from measure.frameworks import Framework

# Builders' words for an attention without a fused kernel.
WRITTEN_OUT = ("einsum", "matmul", "eager", "none")
NO_KERNEL = "none seen"  # no fused attention, in a profile that would have shown it
OUTPUTS = "among them the outputs of all steps, which Keras keeps until its loop ends"


def parity(framework: Framework, amount: dict) -> dict:
    """Return the observed settings; those about images only if the model has
    images.
    """
    card = {**framework.parity(), **framework.precision()}
    if framework.cell.accelerator == "cuda":
        card |= cuda_libraries.versions()
    if amount["images_per_step"] is None:
        for name in ("image_data_format", "convolution_precision"):
            card.pop(name, None)
    names = getattr(framework, "declared", ())
    return with_declared(card, [name for name in sorted(names) if card.get(name) is not None])


def with_profile(card: dict, kernels: list[str], graphs: bool = False) -> dict:
    """Return the card with the fused attention kernels that a profile has shown, if any, and with
    CUDA graphs if it has shown such; else nothing is said of them.

    An attention that the profile confirms is no longer only declared; one that is written out is
    confirmed if no such kernel ran.
    """
    card = {**card, "attention_kernel": ", ".join(kernels) or NO_KERNEL}
    card |= {"cuda_graphs": True} if graphs else {}
    if not kernels and card["attention"] not in WRITTEN_OUT:
        return card
    left = [name for name in card.get("declared", "").split(", ") if name not in ("attention", "")]
    return with_declared(card, left)


def with_declared(card: dict, names: list[str]) -> dict:
    """Return the card with these entries, and no others, marked as only declared."""
    known = {name: value for name, value in card.items() if name != "declared"}
    return {**known, "declared": ", ".join(names)} if names else known


def peak_device(framework: Framework) -> dict:
    """Return the record's peak of device memory and what it counts; None where nothing is
    counted.
    """
    peak_mib = framework.peak_device_mib()
    words = getattr(framework, "peak_device_counts", None)
    if getattr(framework, "keeps_outputs", lambda: False)():
        words = f"{words}; {OUTPUTS}"
    return {
        "peak_device_mib": peak_mib,
        "peak_device_counts": None if peak_mib is None else words,
    }
