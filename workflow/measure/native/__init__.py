"""Operations that a framework lacks, each in several ways: is native code worth it?

``operations.h`` holds the arithmetic of all of them in C, ``reference.py`` in NumPy: the results
that every way must give. A *way* is how an operation is written for a framework:

``framework``  the best code in that framework's own operations
``native``     an extension of the framework in C++, with tuned flags of the compiler
``naive``      the same with plain ``-O3``
``callback``   the same C through ctypes and the framework's callback into Python
``triton``     a kernel in Triton, on a GPU, in PyTorch

The bindings ``<operation>_<library>.cpp`` are as short as they can be, to be copied for an
operation of one's own; ``build.py`` compiles them in the run, as a user does. Each
``<library>_ways.py`` has

``operation(name, way)``
    the function on that library's tensors, built when it is first asked for.
``written(name, way)``
    the Python functions that a user writes for it; their lines are counted.
"""
