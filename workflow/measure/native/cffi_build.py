"""A source in C with cffi's wrapper around it, built in the run."""

import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from sysconfig import get_path
from typing import Any

from cffi import FFI

from measure.native import build
from measure.native.cython_build import imported


def extension(declared: str, source: Path) -> tuple[Any, Any]:
    """``(ffi, functions)`` of a source; raises as :func:`build.library` does.

    declared: the functions that Python calls, in C.
    """
    begun = time.perf_counter()
    ffi = FFI()
    ffi.cdef(declared)
    name = f"{source.stem}_cffi"
    ffi.set_source(name, f'#include "{source}"', compiler_verbose=False)
    wrapper = Path(build.scratch().name, f"{name}.c")
    ffi.emit_c_code(str(wrapper))
    built = build.library(wrapper, "cffi", [f"-I{get_path('include')}"])
    took_s = time.perf_counter() - begun
    own_lines, needed = build.lines_of(source), (f"cffi {version('cffi')}",)
    build.keep(replace(built, build_s=took_s, lines=own_lines, packages=needed))
    module: Any = imported(name, built.path)
    return module.ffi, module.lib
