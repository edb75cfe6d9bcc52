"""Matrix products and copies, in one module per library, each with a class ``Library``.

``Library(accelerator, threads, seed)``
    imports the library with the threads of the runs.
``live_accelerator()``
    where it computes now, see :mod:`measure.live`.
``product(dtype, size)``
    a function that issues one product of two square matrices of seeded random
    numbers, computed in ``float32``, ``tf32`` or ``bfloat16``.
``copy(mib)``
    a function that issues one copy within the memory of the device.
``fence()``
    wait until everything issued so far is done.
"""

import importlib

from measure.checks import check_device

LIBRARIES = {
    "keras2-tensorflow": "tensorflow",
    "keras3-tensorflow": "tensorflow",
    "keras3-jax": "jax",
    "keras3-torch": "torch",
    "pytorch-eager": "torch",
    "pytorch-compiled": "torch",
}


def library(task: dict):
    """The library of a framework, ready to compute where it was asked to."""
    module = importlib.import_module(f"measure.matmul.{LIBRARIES[task['framework']]}")
    found = module.Library(task["accelerator"], task["threads"], task["seed"])
    check_device(task["accelerator"], found.live_accelerator)
    return found
