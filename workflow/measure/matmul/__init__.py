"""The canary's work in one module per library, each with a class ``Library``.

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
