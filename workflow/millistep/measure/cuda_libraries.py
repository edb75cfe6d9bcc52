"""Versions of CUDA and cuDNN as this process has loaded them, whichever library did."""

import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

MAPS = Path("/proc/self/maps")


def versions(maps: Path = MAPS) -> dict[str, str | None]:
    """Return ``cuda_version``, ``cudnn_version``; None if not loaded or not reported."""
    return {
        "cuda_version": _versions_in_use(maps, "cudart", _cuda),
        "cudnn_version": _versions_in_use(maps, "cudnn", _cudnn),
    }


def _versions_in_use(maps: Path, library: str, ask: Callable[[Any], str | None]) -> str | None:
    """Return all versions that the loaded copies of a library report; None if there are none."""
    name = re.compile(rf"lib{library}(-[0-9a-f]+)?\.so[.\d]*")
    try:
        fields = [line.split(maxsplit=5) for line in maps.read_text().splitlines()]
    except OSError:  # no Linux
        return None
    paths = {f[5] for f in fields if len(f) == 6 and name.fullmatch(Path(f[5]).name)}
    found = {version for path in paths if (version := _asked(path, ask))}
    return ", ".join(sorted(found)) or None


def _asked(path: str, ask: Callable[[Any], str | None]) -> str | None:
    try:
        return ask(ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY))
    except (OSError, AttributeError):  # unloaded meanwhile, or another library of that name
        return None


def _cuda(library: Any) -> str | None:
    """Version of CUDA's runtime: 12090 is 12.9."""
    number = ctypes.c_int()
    if library.cudaRuntimeGetVersion(ctypes.byref(number)):
        return None
    return f"{number.value // 1000}.{number.value % 1000 // 10}"


def _cudnn(library: Any) -> str:
    """Version of cuDNN: 92800 is 9.28.0; before version 9 a digit less, 8902 is 8.9.2."""
    library.cudnnGetVersion.restype = ctypes.c_size_t
    number = library.cudnnGetVersion()
    unit = 10_000 if number >= 90_000 else 1000
    return f"{number // unit}.{number % unit // 100}.{number % 100}"
