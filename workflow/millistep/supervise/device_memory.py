"""The limit that a failed allocation on a GPU met: the device's, or the framework's own pool's."""

from __future__ import annotations

import re

UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
NUMBER = r"(\d+(?:\.\d+)?)\s*(bytes|[KMGT]iB|B)?"
ASKED = re.compile(rf"(?:to allocate|to allocate request for|memory allocating)\s+{NUMBER}")
FREE = re.compile(rf"of which\s+{NUMBER}\s+is free")


def whose_limit(message: str, free_mib: float | None, limit_mib: float | None) -> str:
    """Return a clause for the reason of a failed allocation, if the framework's pool was the limit;
    empty if the allocation was too large for the device, or if that is unknown.

    message: the framework's words. free_mib: the device's free memory, as sampled during the run;
    a number in the message is preferred. limit_mib: the most that the framework may take.
    """
    asked, stated = ASKED.search(message), FREE.search(message)
    free = _bytes(stated) if stated else None if free_mib is None else free_mib * 2**20
    if asked is None or free is None or _bytes(asked) > free:
        return ""
    limit = f" of {limit_mib / 1024:.1f} GiB" if limit_mib else ""
    return (
        f"; the limit{limit} of the framework's own pool was reached, although the device had "
        "enough free memory"
    )


def _bytes(found: re.Match[str]) -> float:
    number, unit = found.groups()
    return float(number) * UNITS[(unit or "").replace("bytes", "B")]
