"""Matrix products and copies, in one module per library, each with a class ``Library``.

``Library(accelerator, threads, seed)``
    imports the library with the threads of the runs.
``product(dtype, size)``
    a function that issues one product of two square matrices of seeded random
    numbers, computed in ``float32``, ``tf32`` or ``bfloat16``.
``copy(mib)``
    a function that issues one copy within the memory of the device.
``fence()``
    wait until everything issued so far is done.
"""

import importlib

LIBRARIES = {
    "keras2-tensorflow": "tensorflow",
    "keras3-tensorflow": "tensorflow",
    "keras3-jax": "jax",
    "keras3-torch": "torch",
    "pytorch-eager": "torch",
    "pytorch-compiled": "torch",
}


def library(task: dict):
    """The library of a framework, ready to compute."""
    module = importlib.import_module(f"measure.matmul.{LIBRARIES[task['framework']]}")
    return module.Library(task["accelerator"], task["threads"], task["seed"])
