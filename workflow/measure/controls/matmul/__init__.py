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


def library(task: dict):
    """The library of a task, ready to compute where it was asked to."""
    module = importlib.import_module(f"measure.controls.matmul.{task['library']}")
    found = module.Library(task["accelerator"], task["threads"], task["seed"])
    check_device(task["accelerator"], found.live_accelerator)
    return found
