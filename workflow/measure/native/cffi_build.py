"""Builds a C source with cffi's wrapper around it, in the run."""

import time
from pathlib import Path
from typing import Any

from cffi import FFI

from measure.native import build
from measure.native.cython_build import imported


def extension(declared: str, source: Path) -> tuple[Any, Any]:
    """Build and import ``(ffi, functions)`` of a source; raises as :func:`build.library` does.

    declared: the functions that Python calls, in C.
    """
    begun = time.perf_counter()
    ffi = FFI()
    ffi.cdef(declared)
    name = f"{source.stem}_cffi"
    ffi.set_source(name, f'#include "{source}"', compiler_verbose=False)
    wrapper = Path(build.scratch().name, f"{name}.c")
    ffi.emit_c_code(str(wrapper))
    built = build.python_extension(wrapper, "cffi", begun, build.lines_of(source))
    module: Any = imported(name, built.path)
    return module.ffi, module.lib
