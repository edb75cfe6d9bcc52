"""Load C++ functions into XLA for JAX."""

import ctypes
from pathlib import Path

import jax
from millistep.measure.models.native.compile import shared_library


def load(source: Path, *names: str) -> None:
    """Compile a source and register its functions as foreign functions of XLA."""
    library = ctypes.CDLL(str(shared_library(source, ["-std=c++17", f"-I{jax.ffi.include_dir()}"])))
    for name in names:
        handler = jax.ffi.pycapsule(getattr(library, name))
        jax.ffi.register_ffi_target(name, handler, platform="cpu")
