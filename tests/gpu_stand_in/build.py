"""Builds the libraries of the stand-in with the installed compiler, once for each set of inputs.

Headers are NVIDIA's public ones, taken out of the locked wheels of the CUDA runtime and of CUPTI
into the cache; of the wheels nothing else is kept. What the wheels of a framework ask for decides
which functions there must be (``symbols.py``).
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.shared import put

from . import symbols
from .environment import cache, requirement, shipped_lock

SOURCES = Path(__file__).with_name("src")
PROGRAMS = Path(__file__).with_name("programs")
CORE = "libgpu_stand_in.so"
# By major version of CUDA: the column whose lock has the headers, and their packages; then the
# versions that the libraries say they have, those of that lock.
RUNTIMES = {
    13: ("pytorch", ("nvidia-cuda-runtime", "nvidia-cuda-cupti")),
    12: ("keras3-jax", ("nvidia-cuda-runtime-cu12", "nvidia-cuda-cupti-cu12")),
}
NUMBERS = {
    13: {"CUDART": 13000, "CUBLAS": 130101, "CUDNN": 92000},
    12: {"CUDART": 12090, "CUBLAS": 120903, "CUDNN": 92800},
}
OPTIONS = ["-std=gnu11", "-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror"]


class CannotBuild(Exception):
    """There is no compiler, or CUDA's headers cannot be had."""


def compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None or shutil.which("nm") is None:
        raise CannotBuild("a C compiler and nm are needed")
    return found


def headers(cuda: int) -> Path:
    """The folder with cuda.h, cuda_runtime_api.h and cupti.h, out of the wheels of the lock."""
    column, packages = RUNTIMES[cuda]
    lock = shipped_lock(column)
    locked = "\n".join(requirement(package, lock) for package in packages)

    def make(scratch: Path, finished: Path) -> None:
        needed = put(scratch / "lock.txt", locked + "\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--dest", str(scratch)]
        command += ["--requirement", str(needed)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CannotBuild(f"CUDA's headers cannot be had: {done.stderr.strip()}")
        for wheel in scratch.glob("*.whl"):
            _take_headers(wheel, finished)

    return _kept(f"headers-{_digest(locked.encode())}", make)


def _kept(name: str, make: Callable[[Path, Path], None]) -> Path:
    """Return a folder of the cache; if it is missing, ``make(scratch, finished)`` fills it."""
    folder = cache() / name
    if not folder.exists():
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache()) as scratch:
            finished = Path(scratch, "finished")
            finished.mkdir()
            make(Path(scratch), finished)
            try:
                finished.rename(folder)
            except OSError:
                if not folder.exists():  # else another process has put the same there meanwhile
                    raise
    return folder


def _take_headers(wheel: Path, into: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, found, inside = name.partition("/include/")
            if found and not name.endswith("/"):
                target = into / inside
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))


def built(wishes: dict[str, str], cuda: int = 13, extra: tuple[str, ...] = ()) -> Path:
    """Build the libraries, and return their folder.

    wishes: names that wheels ask for, see :func:`symbols.wanted`; there is a function for each.
    extra: more options of the compiler, such as a sanitizer's.
    """
    sources = sorted(path for path in SOURCES.rglob("*") if path.is_file())
    files = [*sources, Path(__file__), Path(symbols.__file__)]
    parts = [str((extra, cuda, sorted(wishes.items()), compiler())).encode()]
    whole = _digest(b"\0".join([*parts, *(path.read_bytes() for path in files)]))

    def make(scratch: Path, finished: Path) -> None:
        Builder(finished, scratch, headers(cuda), cuda, extra).build(wishes)

    return _kept(f"libraries-{whole}", make)


def compile_program(source: Path, target: Path, libraries: Path, *more: str) -> None:
    """Compile a program of one source file that runs upon the libraries."""
    command = [compiler(), *OPTIONS, f"-isystem{headers(13)}", f"-I{SOURCES / 'compatible'}"]
    command += [*more, str(source), "-o", str(target), f"-L{libraries}"]
    command += ["-l:libcudart.so.13", "-l:libcuda.so.1", "-l:libcupti.so.13", f"-l:{CORE}"]
    command += ["-ldl", "-lpthread"]
    run(command)


def run(command: list[str]) -> None:
    """Run a command of the compiler, whose errors are ours."""
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"


class Builder:
    """One build: first the core, then each library upon it."""

    def __init__(self, folder, scratch, include, cuda, extra):
        self.folder, self.scratch, self.cuda = folder, scratch, cuda
        numbers = [f"-D{name}_NUMBER={number}" for name, number in NUMBERS[cuda].items()]
        places = [f"-isystem{include}", f"-I{SOURCES / 'compatible'}", f"-I{SOURCES}"]
        self.options = [*OPTIONS, *numbers, *places, *extra]

    def build(self, wishes: dict[str, str]) -> None:
        libraries = symbols.libraries(self.cuda)
        listed = libraries.values()
        of_libraries = {path for each in listed for path in symbols.sources(each, SOURCES)}
        self._link(CORE, [path for path in SOURCES.glob("*.c") if path not in of_libraries])
        for name, library in libraries.items():
            self._library(name, library, wishes)

    def _library(self, name: str, library: symbols.Library, wishes: dict[str, str]) -> None:
        sources = symbols.sources(library, SOURCES)
        own = {function for path in sources for function in symbols.defined(self._object(path))}
        version = library.version.format(name=name)
        asked = symbols.of_library(library, version, wishes) | self._declared(name)
        missing = put(self.scratch / f"{name}.c", symbols.stubs(library, sorted(asked - own)))
        more = [f"-L{self.folder}", f"-l:{CORE}", "-Wl,-rpath,$ORIGIN", "-ldl"]
        if version:
            script = put(self.scratch / f"{name}.map", f"{version} {{ global: *; }};\n")
            more.append(f"-Wl,--version-script={script}")
        self._link(name, [*sources, missing], *more)

    def _declared(self, name: str) -> set[str]:
        """All functions of the driver: programs look some up that they may never call."""
        if name != "libcuda.so.1":
            return set()
        command = [compiler(), *self.options, "-E", "-include", "cuda.h", "-x", "c", "/dev/null"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"^CUresult\s+(cu[A-Z]\w+)\s*\(", text, re.M))

    def _object(self, source: Path) -> Path:
        target = self.scratch / f"{source.stem}.o"
        self._run("-c", "-o", str(target), str(source))
        return target

    def _link(self, name: str, sources: list[Path], *more: str) -> None:
        target = str(self.folder / name)
        shared = ["-shared", f"-Wl,-soname,{name}", "-o", target]
        self._run(*shared, *map(str, sorted(sources)), "-lpthread", "-lm", *more)

    def _run(self, *arguments: str) -> None:
        run([compiler(), *self.options, *arguments])


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def built_for(prefix: str) -> Path:
    """Build the libraries that the wheels in an environment ask for."""
    site = next(Path(prefix).glob("lib/python*/site-packages"))
    if of_torch := _in(site, "torch/lib/*.so*", "torch/_C*.so"):
        return built(symbols.wanted(of_torch))
    of_jax = _in(site, "jax_cuda12_plugin/*.so", "jax_plugins/*/*.so")
    of_xla = of_jax or _in(site, "tensorflow/libtensorflow_*.so.2")
    return built(symbols.looked_up(of_xla), cuda=12)


def _in(site: Path, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in site.glob(pattern))
