"""The line that a user sees of a run."""

import json
import math
import time
from pathlib import Path
from typing import Any

from millistep.supervise import reading

SIGNIFICANT = 4  # digits of a time; the integer part is never rounded away


def result(place: str, start: str | None, members: str, record: dict[str, Any]) -> str:
    """Return a run's line: ``[5/204] bert fit, batch 8, keras3-jax, run 1: 12.34 ms/step``.

    place: ``5/204``, the run's place among those of this start; empty if unknown. start: its id, ns
    since 1970. members: JSON, the records of the runs that took turns with this one.
    """
    cell = record["cell"]
    name = f"{cell['model']} {cell['task']}, batch {cell['batch_size']}, {cell['column']}"
    if json.loads(record["identity"]).get("again") and not name.endswith("+again"):
        name += " again"  # the second measurement of a cell for the self-test
    if record["status"] == "ok":
        found = f"{_ms(reading.step_ms(record))} ms/step"
        if record["timing"]["in_turns"] == 1:
            found += ", timed alone"
        if why := reading.disturbed(record):
            found += f", disturbed: {why}"
    else:
        found = f"{record['status']}: {record['reason']}"
    head = f"[{place}] " if place else ""
    return f"{head}{name}, run {cell['run']}: {found}{_left(place, start, json.loads(members))}"


def _ms(value: float) -> str:
    """Return a time with its significant digits: 214.5, 21.45, 2.145, 1307."""
    places = max(0, SIGNIFICANT - 1 - math.floor(math.log10(value)))
    if round(value, places) >= 10 ** (SIGNIFICANT - places):
        places -= 1  # 9.9996 rounds up to one more integer digit
    return f"{value:.{max(0, places)}f}"


def _left(place: str, start: str | None, members: list[str]) -> str:
    """Return the time left in words, from the mean of this start's runs; empty if unknown.

    It is also unknown before the last member's record: all members end within seconds.
    """
    try:
        number, total = map(int, place.split("/"))
        began = int(start or "")
        if any(Path(member).stat().st_mtime_ns < began for member in members):
            return ""
    except (ValueError, OSError):
        return ""
    mean_s = (time.time() - began / 1e9) / number
    left_s = mean_s * (total - number)
    if left_s < 90:
        return f"; about {left_s:.0f} s left" if number < total else ""
    if left_s < 5400:
        return f"; about {left_s / 60:.0f} min left"
    return f"; about {left_s / 3600:.1f} h left"
