"""An environment for CUDA without NVIDIA's own libraries, which the stand-in takes the place of.

Its lock is that of the shipped definition less NVIDIA's wheels; all other wheels are the same, by
the same hashes. It lies in the cache beside the others, by its own digest. Triton brings the
assembler that it compiles with, and XLA gets NVIDIA's (``nvidia-cuda-nvcc``).
"""

import json
import re
from pathlib import Path

from millistep.deploy import environments

from . import values

ROOT = Path(__file__).parents[2]
NVIDIAS = re.compile(r"(nvidia|cuda)-(?!cuda-nvcc)")
REQUIREMENT = re.compile(r"^(\S+)==(\S+)((?: \\\n    --hash=\S+)+)", re.M)
# Free space that the disk must have before anything is downloaded.
AT_MOST_GB = {
    "pytorch": 3.5,
    "keras3-torch": 3.6,
    "keras3-jax": 2.8,
    "keras3-tensorflow": 2.6,
    "keras2-tensorflow": 2.6,
}


def cache() -> Path:
    """Return the folder for what is made once, next to the user's environments."""
    return environments.cache().with_name("stand-in")


def deployed(column: str) -> dict:
    """The marker of the environment for a framework's columns, which is made if it is missing.

    Raises EnvironmentProblem.
    """
    lock = cache() / "cuda" / f"{column}.txt"
    write(lock, lock_without_nvidias(shipped_lock(column)))
    write(lock.parent.with_name("sizes.json"), json.dumps({"cuda": AT_MOST_GB}))
    name = f"stand-in-{column}"
    interpreter = environments.virtual_interpreter(name, lock, None, f"environment {name}")
    found = environments.marker(name, lock, "venv", interpreter)
    site = next(Path(found["prefix"]).glob("lib/python*/site-packages"))
    write(site / "gpu_stand_in_values.py", Path(values.__file__).read_text())
    write(site / "gpu_stand_in_values.pth", values.STARTED_BY_SITE)
    return found


def shipped_lock(column: str) -> str:
    """The requirements that the shipped post-deploy script of a framework installs on CUDA."""
    script = (ROOT / f"envs/2026-11/cuda/{column}.post-deploy.sh").read_text()
    found = re.search(r"<<'LOCK'\n(.*?)^LOCK$", script, re.S | re.M)
    assert found, f"the post-deploy script of {column} has no lock"
    return found[1]


def lock_without_nvidias(lock: str) -> str:
    """The lock without NVIDIA's packages, with the Python that it is for."""
    kept = [found[0] for found in REQUIREMENT.finditer(lock) if not NVIDIAS.match(found[1])]
    options = [line for line in lock.splitlines() if line.startswith("--")]
    return "\n".join(["# python=3.11", *options, *kept]) + "\n"


def requirement(package: str, lock: str) -> str:
    """The requirement of one package in a lock, with its version and hashes."""
    return next(found[0] for found in REQUIREMENT.finditer(lock) if found[1] == package)


def write(path: Path, text: str) -> None:
    """Write a file so that others see it complete or not at all, unless it says this already."""
    if not path.exists() or path.read_text() != text:
        environments.write_atomically(path, text)
