"""The ways of an operation on the processor alone, without a framework.

A model that ``frameworks/host.py`` measures has, beside its ``host.py``, a module ``by_<way>.py``
for each of its ways, with a function ``way()`` that returns a :class:`Way`. It imports what the
way needs at its top, and builds in ``way()``. Its ``host.py`` offers ``operand(cell, batch_size)``,
the arguments of a step in every way (arrays, numbers, or the path of a file), and what a
:class:`measure.models.OperationBuilder` does but losses. What of that follows from a way is here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from measure.frameworks import Cell

Operand = Callable[[Cell, int], tuple[Any, ...]]  # arguments of a step, at a batch size


def one() -> int:
    """One thread, for a way without a pool."""
    return 1


@dataclass(frozen=True)
class Way:
    """An operation as a user would write it so; the same arrays in and out in every way."""

    call: Callable[..., np.ndarray]
    written: tuple[Any, ...]  # functions whose lines a user writes
    package: str | None = None  # that the way needs
    threads: Callable[[], int] = one  # of the pool that computes
    programs: Callable[[], int] | None = None  # number compiled just in time so far, if any are


def module(cell: Cell) -> ModuleType:
    """Import the module of the cell's way, and nothing that only another way needs."""
    return importlib.import_module(f"measure.models.{cell.model}.by_{cell.way}")


def way(cell: Cell) -> Way:
    """The cell's way, built when it is first asked for."""
    return _way(module(cell))


@cache
def _way(module: ModuleType) -> Way:
    found: Way = module.way()
    return found


def outputs(cell: Cell, results: np.ndarray) -> dict[str, np.ndarray]:
    """The result of a call, by the name under which it is compared."""
    return {"output": results}


def alone(operand: Operand, cell: Cell) -> tuple[Callable[[], np.ndarray], int]:
    """A function that calls the operation once, and how often a step does: here it is the step."""
    call, given = way(cell).call, operand(cell, cell.batch_size)
    return lambda: call(*given), 1


def written(cell: Cell) -> tuple[Any, ...]:
    """The functions that a user writes for the cell's way."""
    return way(cell).written
