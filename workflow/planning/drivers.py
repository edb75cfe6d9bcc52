"""The NVIDIA drivers that are new enough for the CUDA that an environment's lock installs."""

import re
from functools import cache
from pathlib import Path

# The oldest driver with which any 12.x or 13.x runs on Linux ("minor version compatibility"):
# NVIDIA, CUDA Toolkit release notes, table of minimum required driver versions.
OLDEST_DRIVER = {12: "525.60.13", 13: "580.65.06"}


@cache
def cuda_version(lock: Path) -> tuple[int, int] | None:
    """(major, minor) of the CUDA runtime among the packages of a lock; None without one."""
    found = re.search(r"^nvidia-cuda-runtime(?:-cu\d+)?==(\d+)\.(\d+)", lock.read_text(), re.M)
    return (int(found[1]), int(found[2])) if found else None


def oldest_driver(lock: Path) -> str | None:
    """The oldest driver that runs the CUDA that a lock installs; None if that is not known."""
    cuda = cuda_version(lock)
    return OLDEST_DRIVER.get(cuda[0]) if cuda else None


def is_older(driver: str, needed: str) -> bool:
    """True if a driver's version is lower than the needed one."""
    return _numbers(driver) < _numbers(needed)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
