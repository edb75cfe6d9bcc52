"""The sources of overlays: a package's version, a wheel, or a folder with a source tree.

Of a source tree, the contents of its files count. Build products, hidden files (such as its
history) and virtual environments are left out: they are neither in its digest nor installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from deploy.virtual_environments import EnvironmentProblem

BUILT_AT_THE_TOP = ("build", "dist")
BUILT_ANYWHERE = ("__pycache__", "node_modules")


def content(source: str) -> str:
    """A source's part in an environment's digest: ``name==version``, or the digest of its content.

    Raises OSError for a file or folder that cannot be read.
    """
    return content_sha256(Path(source)) if os.path.isabs(source) else source


@contextlib.contextmanager
def copied(sources: list[str]) -> Iterator[dict[str, str]]:
    """Yield what to install by source: the copy of a source tree, any other source as it is.

    A copy, since building leaves files in the user's tree, and since the tree may be edited
    meanwhile: the digest is taken of the copy that is installed. Raises EnvironmentProblem.
    """
    with tempfile.TemporaryDirectory(prefix="millistep-") as folder:
        found = {}
        for place, source in enumerate(sources):
            try:
                found[source] = _copy(Path(source), Path(folder, str(place)))
            except OSError as error:
                where = error.filename or source
                raise EnvironmentProblem(f"overlay {where}: {error.strerror}") from None
        yield found


def _copy(source: Path, folder: Path) -> str:
    if not source.is_absolute():
        return str(source)
    if not source.is_dir():
        source.stat()
        return str(source)
    for file in files(source):
        target = folder / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)
    return str(folder)


def content_sha256(path: Path) -> str:
    """Digest of a wheel's bytes, or of names and contents of a source tree's files."""
    if not path.is_dir():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    whole = hashlib.sha256()
    for file in sorted(files(path)):
        content = file.read_bytes()
        name = file.relative_to(path).as_posix()
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def with_overlays(definition_sha256: str, contents: Iterable[str]) -> str:
    """Digest of a definition with overlays; without any, that of the definition.

    contents: for each overlay in order, its digest, or ``name==version``.
    """
    contents = list(contents)
    if not contents:
        return definition_sha256
    return hashlib.sha256("\n".join([definition_sha256, *contents]).encode()).hexdigest()


def files(tree: Path) -> Iterator[Path]:
    """The files of a source tree that count; links to files are followed, links to folders not."""
    for path in tree.iterdir():
        if path.name not in BUILT_AT_THE_TOP:
            yield from _source(path)


def _source(path: Path) -> Iterator[Path]:
    if path.name.startswith(".") or path.name in BUILT_ANYWHERE or path.suffix == ".pyc":
        return
    if path.is_file():
        yield path
    elif path.is_dir() and not (path.is_symlink() or path.suffix == ".egg-info"):
        inside = list(path.iterdir())
        if path / "pyvenv.cfg" not in inside:
            for part in inside:
                yield from _source(part)
