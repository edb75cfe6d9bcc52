"""Builds an extension written in Cython, in the run."""

import subprocess
import sys
import time
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from measure.native import build, lines


def extension(source: Path) -> ModuleType:
    """Build a Cython source and import it by its name; raises as :func:`build.library` does."""
    begun = time.perf_counter()
    translated = Path(build.scratch().name, f"{source.stem}.c")
    command = [sys.executable, "-m", "cython", "-3", str(source), "-o", str(translated)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise build.BuildFailed(f"Cython refused {source.name}")
    built = build.python_extension(translated, "cython", begun, lines.of_cython(source.read_text()))
    return imported(source.stem, built.path)


def imported(name: str, library: Path) -> ModuleType:
    """Import an extension module that was built."""
    loader = ExtensionFileLoader(name, str(library))
    spec = spec_from_loader(name, loader)
    if spec is None:
        raise ImportError(f"{library} is no extension module")
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
