"""Matrix products and copies, in one module per library, each with a class ``Library``."""

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from millistep.measure.conformance import check_device


class Library(Protocol):
    """A library that computes with the threads of the runs, imported with its module.

    Built with ``(accelerator, threads, seed)``. It may name in ``lacks`` the dtypes that it has no
    products of.
    """

    def live_accelerator(self) -> tuple[str, str]:
        """Return the device that it computes on now, see :mod:`measure.live`."""

    def product(self, dtype: str, size: int) -> Callable[[], object]:
        """Return a function that issues one product of two square matrices of seeded random
        numbers, computed in ``float32``, ``tf32`` or ``bfloat16``.
        """

    def copy(self, mib: int) -> Callable[[], object]:
        """Return a function that issues one copy of so many MiB within the device's memory."""

    def fence(self) -> None:
        """Wait until everything issued so far is done."""


def library(request: dict[str, Any]) -> Library:
    """Return the requested library, checked to compute on the requested device."""
    module = importlib.import_module(f"millistep.measure.controls.matmul.{request['library']}")
    found: Library = module.Library(request["accelerator"], request["threads"], request["seed"])
    check_device(request["accelerator"], found.live_accelerator)
    return found
