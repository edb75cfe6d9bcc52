"""The values that ``auto`` and ``default`` stand for; ``auto`` depends on this machine."""

from typing import Any

from millistep.contracts.config import Config
from millistep.supervise import processors
from millistep.supervise.device import Gpu

FOUND_HERE = ("auto", "physical")
PAPER_MEMORY_GIB = 38  # the page's A100 has 40 GB; Gemma's fit needs most of it
DEFAULT_RUNS = {"paper": 3, "laptop": 3, "smoke": 1}
DEFAULT_TIME_LIMIT_S = {"paper": 3600, "laptop": 900, "smoke": 900}


def accelerator(asked: str, gpu: Gpu | None) -> str:
    """Return the requested accelerator, for auto that of this machine: ``cpu`` or ``cuda``."""
    if asked == "auto":
        return "cuda" if gpu else "cpu"
    return asked


def scale(asked: str, accelerator: str, gpu: Gpu | None) -> tuple[str, str]:
    """Return the scale, and the reason for it in one sentence."""
    if asked != "auto":
        return asked, f"The configuration sets scale {asked}."
    memory_gib = (gpu.memory_mib and gpu.memory_mib / 1024) if gpu else None
    if accelerator != "cuda" or gpu is None:
        have = "no GPU is measured here"
    elif memory_gib is None:
        have = "the memory of the GPU is unknown"
    elif memory_gib >= PAPER_MEMORY_GIB:
        return "paper", f"Scale auto took paper: the GPU has {memory_gib:.0f} GiB of memory."
    else:
        have = f"the GPU has {memory_gib:.0f} GiB of memory, paper needs {PAPER_MEMORY_GIB}"
    return "laptop", f"Scale auto took laptop: {have}."


def threads(asked: Any) -> int:
    """Return the number of threads; for auto and physical see :mod:`supervise.processors`."""
    words = {"auto": processors.auto, "physical": processors.physical}
    number: int = words[asked]() if asked in words else asked
    return number


def of_this_machine(config: Config) -> str:
    """Return the settings that depend on the planning machine, as text; empty without any."""
    words = config.model_dump(include={"scale", "accelerator", "threads"})
    return ", ".join(f"{key}: {word}" for key, word in words.items() if word in FOUND_HERE)
