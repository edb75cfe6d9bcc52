"""Digest of the measuring sources that one cell uses, and of no others.

A change of the timer must measure every cell again, a change of one builder only its cells. Which
files a cell uses is read from import statements; C sources belong to the cells whose way is built
from them.
"""

import ast
import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

PACKAGES = ("measure", "supervise")
OVERLAID = "measure"  # the package over which the user's folders are laid
EXTENSIONS = ("native", "naive")  # ways of an operation that extend the framework's library
WAYS_WITHOUT_C = ("framework", "triton", "python", "numpy", "numba", "pandas", "pyarrow", "polars")
INIT = "__init__.py"
LARGE_BYTES = 2**20
C_ENDINGS = (".c", ".cpp", ".h", ".pyx")
_SPACE = r"(?:[ \t]|\\\r?\n)+"
STATEMENT = re.compile(
    rf"(?:\bfrom{_SPACE}[\w.]+{_SPACE})?\bimport\b(?:[^\n(\\;#]|\\\r?\n|\([^)]*\))+"
)


class Built(Protocol):
    """The part of a model that tells which native sources its cells are built from."""

    @property
    def operation(self) -> str | None: ...

    @property
    def folder(self) -> Path: ...


def digest(root: Path, entries: tuple[Path, ...], folders: tuple[Path, ...] = ()) -> str:
    """sha256 over the entry files and everything of these packages that they import.

    root: the folder that holds the packages; folders: the user's, whose ``models`` and
    ``frameworks`` are laid over those of ours. Files count by their modules' names, so moving a
    folder changes nothing. An entry that does not exist (a model need not support every framework)
    is left out.
    """
    whole = hashlib.sha256()
    files = closure(root, entries, folders)
    named = {_module_path(root, folders, file).as_posix(): file for file in files}
    for name, file in sorted(named.items()):
        content = _content(file)
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def _module_path(root: Path, folders: tuple[Path, ...], file: Path) -> Path:
    """Where a file would lie below `root`, over which the folders are laid."""
    if file.is_relative_to(root):
        return file.relative_to(root)
    folder = next(folder for folder in folders if file.is_relative_to(folder))
    return Path(OVERLAID, file.relative_to(folder))


def closure(root: Path, entries: tuple[Path, ...], folders: tuple[Path, ...] = ()) -> set[Path]:
    """The entries, and all files of our packages that they reach through imports."""
    found: set[Path] = set()
    waiting = list(entries)
    while waiting:
        file = waiting.pop()
        if file not in found and file.is_file():
            found.add(file)
            waiting.extend(_imports(root, folders, file) if file.suffix == ".py" else ())
    return found


def native(measure: Path, model: Built, library: str, way: str | None) -> tuple[Path, ...]:
    """The sources that no import names and that cells of a model are built from in a way; empty if
    the operation is the framework's own code.

    For ways in C: those of the model's own folder, the header of all operations, and the binding of
    the operation to a library, or to ctypes for ways that call it from Python. Also
    ``by_<way>.py``, if a way has such a file.
    """
    if not model.operation or way is None:
        return ()
    alone = [path for path in [model.folder / f"by_{way}.py"] if path.is_file()]
    if way in WAYS_WITHOUT_C:
        return tuple(alone)
    folder = measure / "native"
    binding = library if way in EXTENSIONS else "c"
    ours = folder.glob(f"{model.operation}_{binding}.c*")
    own = (path for ending in C_ENDINGS for path in model.folder.glob(f"*{ending}"))
    return tuple(sorted((*alone, *ours, *own, folder / "operations.h")))


@cache
def read_by(folder: Path, operation: str | None) -> tuple[Path, ...]:
    """The files of a user's model that its code may read; code itself counts where it is
    imported, its description by what it says, and what an operation is built from in its ways.
    """
    elsewhere = (".py", ".pyc", *(C_ENDINGS if operation else ()))
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*"))}
    return tuple(
        path
        for name, path in files.items()
        if path.is_file()
        and path.suffix not in elsewhere
        and name != Path("model.yaml")
        and not any(part.startswith(".") for part in name.parts)
    )


@cache
def _content(file: Path) -> bytes:
    """The content of a file; of a large one, such as data that a user's model reads, its digest,
    as a process beside timed steps should not hold it.
    """
    if file.stat().st_size > LARGE_BYTES:
        with file.open("rb") as large:
            return hashlib.file_digest(large, "sha256").digest()
    return file.read_bytes()


@cache
def _imports(root: Path, folders: tuple[Path, ...], file: Path) -> tuple[Path, ...]:
    package, names = _module_path(root, folders, file).parent.parts, []
    content, ours = _content(file), file.is_relative_to(root)
    for node in _import_statements(content.decode(), PACKAGES) if ours else _parsed(content):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    if not ours:  # Python runs the packages around a module before it; those of ours say nothing
        parts = [[*package], *(name.split(".") for name in names)]
        names = [".".join(of[:end]) for of in parts for end in range(2, len(of) + 1)]
    found = (_file(root, folders, name) for name in names)
    return tuple(path for path in found if path)


def _parsed(content: bytes) -> Iterator[ast.AST]:
    """All nodes of a user's file; none of one that cannot be imported either."""
    with contextlib.suppress(SyntaxError, ValueError):
        yield from ast.walk(ast.parse(content))


def _import_statements(text: str, packages: tuple[str, ...] = ("",)) -> Iterator[ast.stmt]:
    """The import statements of a file that name these packages, and what looks like one in texts.

    All sources of ours are read at every start of Snakemake; parsing whole files would take five
    times as long.
    """
    for match in STATEMENT.finditer(text):
        if not any(package in match[0] for package in packages):
            continue
        with contextlib.suppress(SyntaxError):  # it was prose
            yield from ast.parse(match[0]).body


def _file(root: Path, folders: tuple[Path, ...], module: str) -> Path | None:
    """The file of a module of our packages, as Python finds it; None for other modules."""
    package, *names = module.split(".")
    if package not in PACKAGES or not names:
        return None
    places = [root.joinpath(package, *names)]
    if package == OVERLAID:
        places += [folder.joinpath(*names) for folder in folders]
    candidates = (path for place in places for path in (place / INIT, place.with_suffix(".py")))
    return next(filter(Path.is_file, candidates), None)


def content_digest(root: Path, *places: str) -> str:
    """sha256 over the contents of all source files of some folders, or of single files, and their
    names below `root`.
    """
    return hashlib.sha256(
        "".join(_place_digest(root, place) for place in places).encode()
    ).hexdigest()


@cache
def _place_digest(root: Path, place: str) -> str:
    whole, path = hashlib.sha256(), root / place
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.suffix != ".pyc" and file.is_file():
            content = file.read_bytes()
            name = os.path.relpath(file, root)
            whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()
