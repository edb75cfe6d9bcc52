"""Digest of the measuring sources that one cell uses, and of no others.

A change of the timer must measure every cell again, a change of one builder only its cells. Which
files a cell uses is read from import statements.
"""

import ast
import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("measure", "supervise")
OVERLAID = "measure"  # the package over which the user's folders are laid
INIT = "__init__.py"
LARGE_BYTES = 2**20
_SPACE = r"(?:[ \t]|\\\r?\n)+"
STATEMENT = re.compile(
    rf"(?:\bfrom{_SPACE}[\w.]+{_SPACE})?\bimport\b(?:[^\n(\\;#]|\\\r?\n|\([^)]*\))+"
)


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


@cache
def read_by(folder: Path) -> tuple[Path, ...]:
    """Return the data files in a user's model folder; Python code and model.yaml are digested
    elsewhere.
    """
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*"))}
    return tuple(
        path
        for name, path in files.items()
        if path.is_file()
        and path.suffix not in (".py", ".pyc")
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
