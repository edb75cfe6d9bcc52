"""Compiles a source in C or C++ into a library, in the run's scratch folder, as a user does.

Compiling and linking are separate commands: with ``-ffast-math`` at link time, gcc before 13 has
the library switch denormal numbers off for the whole process that loads it, which changes the speed
of everything else.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from sysconfig import get_path

from measure.native import lines

HERE = Path(__file__).parent
TUNED = ("-O3", "-march=native", "-ffast-math")
PLAIN = ("-O3",)
# By the ending of a source: the variable that may name a compiler, and names to look for.
COMPILERS = {".c": ("CC", ("gcc", "cc", "clang")), ".cpp": ("CXX", ("g++", "c++", "clang++"))}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


class NoCompiler(RuntimeError):
    """No compiler of C or C++ is on this machine."""


class BuildFailed(RuntimeError):
    """The compiler or the linker refused a source."""


@dataclass(frozen=True)
class Built:
    """A library that was built, and what that took."""

    path: Path
    build_s: float
    compiler: str  # as it names itself
    compile_flags: list[str]
    link_flags: list[str]
    lines: int  # of code in the source and in the operation's part of its headers
    packages: tuple[str, ...] = ()  # needed beyond the framework's own


_built: list[Built] = []


def found() -> Built | None:
    """The library that this process has built last; None if it has built none."""
    return _built[-1] if _built else None


def library(
    binding: str | Path,
    way: str,
    compile_flags: Sequence[str] = (),
    link_flags: Sequence[str] = (),
) -> Built:
    """Build a shared library of a binding; raises :class:`NoCompiler` or :class:`BuildFailed`.

    binding: a source, ``<operation>_<library>``; by its name without the ending where it lies
    beside this file, by its path where it lies elsewhere. way: ``naive`` for plain ``-O3``. The
    flags are those of the framework's headers and libraries.
    """
    source = _source(binding)
    compiler = _compiler(source.suffix)
    tuning = PLAIN if way == "naive" else TUNED
    compiling = [*tuning, "-fPIC", *compile_flags]
    # The library of mathematics, which only C++ links by itself.
    linking = [*link_flags, "-lm"]
    built = Path(scratch().name) / f"{source.stem}_{way}.so"
    objects = built.with_suffix(".o")
    start = time.perf_counter()
    _run([compiler, *compiling, "-c", str(source), "-o", str(objects)])
    _run([compiler, "-shared", str(objects), "-o", str(built), *linking])
    build_s = time.perf_counter() - start
    return keep(
        Built(
            path=built,
            build_s=build_s,
            compiler=_named(compiler),
            compile_flags=_without_places(compiling),
            link_flags=_without_places(linking),
            lines=lines_of(source),
        )
    )


def python_extension(translated: Path, tool: str, begun_s: float, own_lines: int) -> Built:
    """Build a Python extension of C code that a tool has written.

    tool: its package. begun_s: the clock before the tool began. own_lines: those that it was given.
    """
    built = library(translated, tool, [f"-I{get_path('include')}"])
    took_s = time.perf_counter() - begun_s
    needed = (f"{tool} {version(tool)}",)
    return keep(replace(built, build_s=took_s, lines=own_lines, packages=needed))


def keep(built: Built) -> Built:
    """Remember a library as the one that the record tells of."""
    _built.append(built)
    return built


@cache
def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder in the run's temporary one, removed with that; outside of runs it goes by itself."""
    where = os.environ.get("MILLISTEP_SCRATCH")
    return tempfile.TemporaryDirectory(prefix="native-", dir=where)


def _source(binding: str | Path) -> Path:
    if isinstance(binding, Path):
        return binding
    return next(path for path in HERE.glob(f"{binding}.c*") if path.suffix in COMPILERS)


def _compiler(ending: str) -> str:
    variable, names = COMPILERS[ending]
    wanted = [os.environ[variable]] if os.environ.get(variable) else [*names]
    for name in wanted:
        if path := shutil.which(name):
            return path
    raise NoCompiler(
        f"no compiler on the PATH: neither {' nor '.join(wanted)}; {variable} may name another"
    )


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        first = next((line for line in done.stderr.splitlines() if "error" in line), "")
        raise BuildFailed(first or f"{Path(command[0]).name} ended with {done.returncode}")


def _named(compiler: str) -> str:
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    return next(iter(said.splitlines()), compiler)


def _without_places(flags: Sequence[str]) -> list[str]:
    """The flags without the places of somebody's environment and Python, which are private."""
    places = {str(HERE): "$OPERATIONS", sys.prefix: "$PREFIX", sys.base_prefix: "$PYTHON"}
    found = [*flags]
    for place, name in places.items():
        found = [flag.replace(place, name) for flag in found]
    return found


def lines_of(source: Path) -> int:
    """Lines of code in a source, and in the functions of its headers with its operation's name."""
    text = source.read_text()
    headers = [source.parent / name for name in INCLUDE.findall(text)]
    operation = source.stem.rpartition("_")[0]
    return lines.of_c(text) + sum(
        lines.of_operation(header.read_text(), operation) for header in headers if header.is_file()
    )
