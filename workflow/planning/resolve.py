"""What ``auto`` and ``default`` stand for; ``auto`` is of this machine."""

import os
from collections.abc import Mapping
from pathlib import Path

from supervise import processors
from supervise.device import Gpu

FOUND_HERE = ("auto", "physical")
PAPER_MEMORY_GIB = 38  # the page's A100 has 40 GB; Gemma's fit needs most of it
# Three rounds show no more falsely than five, where processes have two modes too, but half as much:
# of gaps of 5 % at 1 % scatter 73 % and 85 %, at 2 % scatter 27 % and 42 %; and a lone cell of two
# modes has intervals that hold in 80 % and 94 % (benchmarks/verdicts).
DEFAULT_RUNS = {"paper": 5, "laptop": 3, "smoke": 1}
DEFAULT_TIME_LIMIT_S = {"paper": 3600, "laptop": 900, "smoke": 900}


def accelerator(asked: str, gpu: Gpu | None) -> str:
    """``cpu`` or ``cuda``."""
    if asked == "auto":
        return "cuda" if gpu else "cpu"
    return asked


def scale(asked: str, accelerator: str, gpu: Gpu | None) -> tuple[str, str]:
    """``(scale, the reason in one sentence)``."""
    if asked != "auto":
        return asked, f"The configuration asks for scale {asked}."
    memory_gib = gpu and gpu.memory_mib and gpu.memory_mib / 1024
    if accelerator != "cuda" or gpu is None:
        have = "no GPU is measured here"
    elif memory_gib is None:
        have = "the GPU does not tell how much memory it has"
    elif memory_gib >= PAPER_MEMORY_GIB:
        return "paper", f"Scale auto took paper: the GPU has {memory_gib:.0f} GiB of memory."
    else:
        have = f"the GPU has {memory_gib:.0f} GiB of memory, paper needs {PAPER_MEMORY_GIB}"
    return "laptop", f"Scale auto took laptop: {have}."


def threads(asked, slots: int = 1) -> int:
    """As asked; what the words stand for is in :mod:`supervise.processors`. slots: sharing it."""
    words = {"auto": processors.auto, "physical": processors.physical}
    return words[asked](shares=slots) if asked in words else asked


def of_this_machine(config: Mapping) -> str:
    """The settings that stand for what the planning machine has, in words; empty without any."""
    words = {key: config[key] for key in ("scale", "accelerator", "threads")}
    return ", ".join(f"{key}: {word}" for key, word in words.items() if word in FOUND_HERE)


def put_first_on_path(folder: Path) -> None:
    """Have the commands of this process's jobs find what is in a folder first."""
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
