"""Digest of the measuring sources that one cell uses, and of no others.

A change of the timer must measure every cell again, a change of one builder
only its cells. Which files a cell uses is read from the import statements.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = "measure"


def digest(root: Path, entries: tuple[Path, ...]) -> str:
    """sha256 over the entry files and everything of ``measure`` that they import.

    root: the folder that holds the package. Names are relative to their own
    root, so moving the project changes nothing.
    """
    files = sorted(closure(root, entries), key=lambda file: file.as_posix())
    whole = hashlib.sha256()
    for file in files:
        content = _content(file)
        name = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def closure(root: Path, entries: tuple[Path, ...]) -> set[Path]:
    """Files of the package reachable from the entries through imports."""
    found: set[Path] = set()
    waiting = list(entries)
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting.extend(_imports(root, file))
    return found


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _imports(root: Path, file: Path) -> tuple[Path, ...]:
    found = []
    for node in ast.walk(ast.parse(_content(file))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found += [path for name in names for path in _files(root, name)]
    return tuple(found)


def _files(root: Path, module: str):
    """The file of a module of the package, nothing for other modules."""
    if module.split(".")[0] == PACKAGE:
        path = root.joinpath(*module.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                yield file


def content_digest(*folders: str) -> str:
    """sha256 over the contents and relative names of all source files of some folders."""
    whole = hashlib.sha256()
    for folder in folders:
        for file in sorted(Path(folder).rglob("*")):
            if file.is_file() and file.suffix not in (".pyc",):
                content = file.read_bytes()
                whole.update(f"{file.as_posix()}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()
