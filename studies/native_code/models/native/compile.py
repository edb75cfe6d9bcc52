"""Compile C++ and Cython sources within the run, as a user does once."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from sysconfig import get_path
from types import ModuleType

FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC")
SCRATCH = tempfile.TemporaryDirectory(prefix="native-code-")


def shared_library(
    source: Path, compile_flags: Sequence[str] = (), link_flags: Sequence[str] = ()
) -> Path:
    """Compile a C++ source and return the path of the shared library.

    Compiling and linking are separate commands: with ``-ffast-math`` at link time, gcc before 13
    makes the library flush denormal numbers to zero in the whole process.
    """
    library = Path(SCRATCH.name, f"{source.stem}.so")
    objects = library.with_suffix(".o")
    _run(compiler(), *FLAGS, *compile_flags, "-c", str(source), "-o", str(objects))
    _run(compiler(), "-shared", str(objects), "-o", str(library), *link_flags, "-lm")
    return library


def cython_extension(source: Path) -> ModuleType:
    """Compile a Cython source and import the module."""
    translated = Path(SCRATCH.name, f"{source.stem}.cpp")
    _run(sys.executable, "-m", "cython", "-3", "--cplus", str(source), "-o", str(translated))
    library = shared_library(translated, [f"-I{get_path('include')}"])
    loader = ExtensionFileLoader(source.stem, str(library))
    module = module_from_spec(spec_from_loader(source.stem, loader))
    loader.exec_module(module)
    return module


def compiler() -> str:
    """Return the path of the C++ compiler: ``CXX``, else ``g++``."""
    name = os.environ.get("CXX", "g++")
    if path := shutil.which(name):
        return path
    raise RuntimeError(f"no C++ compiler '{name}' on the PATH; set CXX under `environment`")


def compiler_version() -> str:
    """Return the first line of the compiler's version."""
    done = subprocess.run([compiler(), "--version"], capture_output=True, text=True)
    return done.stdout.partition("\n")[0]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise RuntimeError(f"{Path(command[0]).name} failed: {(errors or [done.stderr])[0][:300]}")
