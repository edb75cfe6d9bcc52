"""Equal results: what a way of an operation computes, beside what every way must give.

NumPy's arrays are the builder's: nothing is imported here before the framework is.
"""

import math
from typing import Any

from measure.frameworks import Cell

# Of the largest number that is expected; integers must be equal. A gradient is the longer sum, and
# the frameworks' own differ by up to 1e-5 from that in float64.
WITHIN = {"output": 1e-5, "gradient": 5e-5}
LOSSES_WITHIN = 1e-4  # relative
STEPS = 10  # of a training
AGAINST = "framework"  # the way whose losses the others must have


class WrongResult(RuntimeError):
    """A way computes something else: its time is none of the operation."""


def agreement(models: Any, cell: Cell, results: Any) -> dict[str, Any]:
    """The record's part of it; raises :class:`WrongResult`.

    models: the builder of a model around an operation, see :mod:`measure.models`. results: of a
    call of the operation by itself.
    """
    found, expected = models.outputs(cell, results), models.expected(cell)
    differences = {name: _difference(cell, name, found[name], expected[name]) for name in expected}
    return {
        "outputs": differences["output"],
        "gradients": differences.get("gradient"),
        "losses": _losses(models, cell),
    }


def _difference(cell: Cell, name: str, found: Any, expected: Any) -> dict[str, float]:
    """The largest, and what is allowed."""
    if found.shape != expected.shape:
        raise WrongResult(
            f"{name} of the way {cell.way} has shape {found.shape}, not {expected.shape}"
        )
    integers = expected.dtype.kind in "iu"
    allowed = 0.0 if integers else WITHIN[name] * float(abs(expected).max())
    largest = float(abs(found.astype("float64") - expected).max())
    return _allowed(f"{name} of the way {cell.way}", largest, allowed)


def _losses(models: Any, cell: Cell) -> dict[str, Any] | None:
    """Of the first steps of a training from the same weights, beside those of the framework."""
    if cell.task != "fit" or cell.way == AGAINST:
        return None
    found, expected = (models.losses(cell, way, STEPS) for way in (cell.way, AGAINST))
    if not len(found) == len(expected) == STEPS:
        raise WrongResult(f"{len(found)} and {len(expected)} losses of {STEPS} steps")
    # The sum is no number where one of them is none; the largest might be one all the same.
    pairs = zip(found, expected, strict=True)
    differences = [abs(one - other) / (abs(other) or 1) for one, other in pairs]
    largest = float(max(differences) if math.isfinite(sum(differences)) else math.nan)
    what = f"loss of {STEPS} steps of the way {cell.way}, relative to the way {AGAINST},"
    return {**_allowed(what, largest, LOSSES_WITHIN), "steps": STEPS, "against": AGAINST}


def _allowed(what: str, largest: float, allowed: float) -> dict[str, float]:
    if not largest <= allowed:  # nor is a difference that is not a number
        raise WrongResult(f"{what} differs by {largest:.3g}, allowed is {allowed:.3g}")
    return {"largest_difference": largest, "allowed": allowed}
