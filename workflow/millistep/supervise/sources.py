"""Digests of files: those of a user's own model or framework, and whole folders.

Millistep's own sources are in no fingerprint: a version number identifies what they measure, see
:data:`measure.protocol.MEASURE`.
"""

import ast
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

OURS = Path(__file__).parent.parent / "measure"
# Its models and frameworks are ours and those of the user's folders; the first part may be omitted.
PACKAGE = ("millistep", "measure")


def digest(folders: Sequence[Path], model: str, family: str, framework: str) -> str:
    """Return the sha256 of all files of the user's folders that a run may use; empty without any.

    model, framework: modules in ``models`` and ``frameworks``; family: the model's builder.
    """
    files = used(folders, model, family, framework)
    return whole(files.items()) if files else ""


def used(folders: Sequence[Path], model: str, family: str, framework: str) -> dict[str, Path]:
    """Return the user's files by their names below a folder: the model's builder and its data, the
    framework, and everything in the folders that these import.
    """
    found: dict[str, Path] = {}
    waiting = [f"models.{model}.{family}", f"models.{model}.work", f"frameworks.{framework}"]
    while waiting:
        parts = waiting.pop().split(".")
        for end in range(len(parts)):  # a module, and the packages around it
            place = _place(folders, "/".join(parts[: end + 1]))
            if place and place[0] not in found:
                found[place[0]] = place[1]
                waiting += _imported(*place)
    if not (OURS / "models" / model).is_dir():
        for folder in folders:
            found |= {f"models/{model}/{n}": path for n, path in _data(folder / "models" / model)}
    return found


def _place(folders: Sequence[Path], names: str) -> tuple[str, Path] | None:
    """Return a module's name and file as Python finds it; None if it is ours or there is none."""
    for folder in (OURS, *folders):
        for name in (f"{names}/__init__.py", f"{names}.py"):
            if (folder / name).is_file():
                return None if folder == OURS else (name, folder / name)
    return None


def _imported(name: str, path: Path) -> Iterator[str]:
    """Yield the modules of our package that a file imports."""
    package = (*PACKAGE, *Path(name).parent.parts)
    try:
        nodes = list(ast.walk(ast.parse(path.read_bytes())))
    except (SyntaxError, ValueError):  # the run's error will report it
        return
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for each in names:
            parts = each.removeprefix(f"{PACKAGE[0]}.").split(".")
            if parts[0] == PACKAGE[1] and parts[1:]:
                yield ".".join(parts[1:])
            elif path.with_name(f"{parts[0]}.py").is_file():  # by its folder in sys.path
                yield ".".join([*Path(name).parent.parts, parts[0]])


@cache
def _data(folder: Path) -> tuple[tuple[str, Path], ...]:
    """Return the files of a model's folder except code, which counts where it is imported, and
    model.yaml, which counts by its values.
    """
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*"))}
    return tuple(
        (name.as_posix(), path)
        for name, path in files.items()
        if path.is_file()
        and path.suffix not in (".py", ".pyc")
        and name != Path("model.yaml")
        and not any(part.startswith(".") for part in name.parts)
    )


@cache
def content_digest(root: Path, *folders: str) -> str:
    """Return the sha256 of all files in some folders below `root`."""
    paths = [path for folder in folders for path in (root / folder).rglob("*")]
    files = (path for path in paths if path.suffix != ".pyc" and path.is_file())
    return whole((path.relative_to(root).as_posix(), path) for path in files)


def whole(files: Iterable[tuple[str, Path]]) -> str:
    """Return the sha256 of all files together, given their names and paths."""
    lines = (f"{_of_file(path)}  {name}\n" for name, path in sorted(files))
    return hashlib.sha256(os.fsencode("".join(lines))).hexdigest()


@cache
def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
