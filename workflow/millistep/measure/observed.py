"""A run's observed settings, and its peak of device memory with what that counts.

They are read back from the live framework. A setting that cannot be read is among them, too, with
its name in ``declared``.
"""

from typing import Any

from millistep.measure import device, switches
from millistep.measure.frameworks import Framework
from millistep.measure.frameworks.loops import flat

# Builders' words for an attention without a fused kernel.
WRITTEN_OUT = ("einsum", "matmul", "eager", "none")
NO_KERNEL = "none seen"  # no fused attention, in a profile that would have shown it
OUTPUTS = "among them the outputs of all steps, which Keras keeps until its loop ends"


def parity(framework: Framework, amount: dict[str, Any]) -> dict[str, Any]:
    """Return the observed settings; those of images only if the model has images, and that of
    convolutions only if it has images or a step has convolutions.
    """
    observed = {**framework.parity(), **framework.precision()}
    observed["global_switches"] = switches.changed()
    observed["input_dtype"] = _input_dtype(framework.fed_batch)
    if framework.cell.accelerator == "cuda":
        observed |= device.versions()
    if amount["images_per_step"] is None:
        observed.pop("image_data_format", None)
        if not framework.convolves:
            observed.pop("convolution_precision", None)
    names = [name for name in sorted(framework.declared) if observed.get(name) is not None]
    return with_declared(observed, names)


def _input_dtype(batch: Any) -> str | None:
    """Return the dtypes of a batch's floats; strided views cost more to feed."""
    arrays = [each for each in flat(batch) if each is not None and each.dtype.kind == "f"]
    views = {each.dtype.name for each in arrays if not each.flags.c_contiguous}
    found = sorted({each.dtype.name for each in arrays})
    return ", ".join(f"{each} in views" if each in views else each for each in found) or None


def with_profile(observed: dict[str, Any], kernels: list[str], graphs: bool) -> dict[str, Any]:
    """Add the fused attention kernels and the CUDA graphs that a profile has shown.

    An attention that the profile confirms is no longer only declared; one that is written out is
    confirmed if no such kernel ran.
    """
    observed = {**observed, "attention_kernel": ", ".join(kernels) or NO_KERNEL}
    observed |= {"cuda_graphs": True} if graphs else {}
    if not kernels and observed["attention"] not in WRITTEN_OUT:
        return observed
    names = observed.get("declared", "").split(", ")
    return with_declared(observed, [name for name in names if name not in ("attention", "")])


def with_declared(observed: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the settings with these names, and no others, marked as only declared."""
    known = {name: value for name, value in observed.items() if name != "declared"}
    return {**known, "declared": ", ".join(names)} if names else known


def peak_device(framework: Framework) -> dict[str, Any]:
    """Return the peak of device memory and what it counts; None where nothing is counted."""
    peak_mib = framework.peak_device_mib()
    words = framework.peak_device_counts
    if framework.keeps_outputs():
        words = f"{words}; {OUTPUTS}"
    return {"peak_device_mib": peak_mib, "peak_device_counts": None if peak_mib is None else words}
