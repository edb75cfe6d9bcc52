"""Checks that every way of writing an operation computes the same results.

NumPy is not imported here, before the framework is: its arrays come from the builder.
"""

import math
from typing import Any

from measure.frameworks import Cell

# Relative to the largest expected number; integers must be equal. A gradient sums more terms, and
# the frameworks' own gradients differ by up to 1e-5 from float64.
WITHIN = {"output": 1e-5, "gradient": 5e-5}
LOSSES_WITHIN = 1e-4  # relative
STEPS = 10  # training steps that are compared
AGAINST = "framework"  # the way whose losses the others must have


class WrongResult(RuntimeError):
    """A way computes something else, so its time is not a time of the operation."""


def agreement(models: Any, cell: Cell, results: Any) -> dict[str, Any]:
    """Compare outputs, gradients and losses, for the record; raises :class:`WrongResult`.

    models: the builder of a model around an operation, see :mod:`measure.models`. results: what a
    call of the operation by itself has returned.
    """
    found, expected = models.outputs(cell, results), models.expected(cell)
    differences = {name: _difference(cell, name, found[name], expected[name]) for name in expected}
    return {
        "outputs": differences["output"],
        "gradients": differences.get("gradient"),
        "losses": _losses(models, cell),
    }


def _difference(cell: Cell, name: str, found: Any, expected: Any) -> dict[str, float]:
    """The largest difference of an output or a gradient, and the one that is allowed."""
    if found.shape != expected.shape:
        raise WrongResult(
            f"{name} of the way {cell.way} has shape {found.shape}, not {expected.shape}"
        )
    # An array by columns is left half done: what comes next pays for it.
    if not found.flags.c_contiguous:
        raise WrongResult(f"{name} of the way {cell.way} does not lie row by row in memory")
    integers = expected.dtype.kind in "iu"
    allowed = 0.0 if integers else WITHIN[name] * float(abs(expected).max())
    largest = float(abs(found.astype("float64") - expected).max())
    return _allowed(f"{name} of the way {cell.way}", largest, allowed)


def _losses(models: Any, cell: Cell) -> dict[str, Any] | None:
    """Compare losses of the first training steps, from equal weights, with the framework's way."""
    if cell.task != "fit" or cell.way == AGAINST:
        return None
    found, expected = (models.losses(cell, way, STEPS) for way in (cell.way, AGAINST))
    if not len(found) == len(expected) == STEPS:
        raise WrongResult(f"{len(found)} and {len(expected)} losses of {STEPS} steps")
    # One NaN makes the sum NaN, while max() may still return a number.
    pairs = zip(found, expected, strict=True)
    differences = [abs(one - other) / (abs(other) or 1) for one, other in pairs]
    largest = float(max(differences) if math.isfinite(sum(differences)) else math.nan)
    what = f"loss of {STEPS} steps of the way {cell.way}, relative to the way {AGAINST},"
    return {**_allowed(what, largest, LOSSES_WITHIN), "steps": STEPS, "against": AGAINST}


def _allowed(what: str, largest: float, allowed: float) -> dict[str, float]:
    if not largest <= allowed:  # NaN fails, too
        raise WrongResult(f"{what} differs by {largest:.3g}, allowed is {allowed:.3g}")
    return {"largest_difference": largest, "allowed": allowed}
