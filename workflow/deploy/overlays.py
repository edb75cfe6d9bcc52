"""What an overlay's source holds: a package's version, a wheel, or a folder with a source tree."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

BUILT = ("build", "dist", "__pycache__", "node_modules")  # made from the source, not source


def content(source: str) -> str:
    """What an overlay's source is in an environment's digest: ``name==version`` or its content's.

    Raises OSError for a file or folder that is not there.
    """
    return content_sha256(Path(source)) if os.path.isabs(source) else source


def copied(source: str, folder: Path) -> str:
    """A source tree's copy in a new folder, without what was built; anything else as it is."""
    if not Path(source).is_dir():
        return source
    shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(*BUILT, ".git"))
    return str(folder)


def content_sha256(path: Path) -> str:
    """Digest of a wheel's bytes, or of names and contents of a source tree's files."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    whole = hashlib.sha256()
    for file in sorted(_files(path)):
        content = file.read_bytes()
        name = file.relative_to(path).as_posix()
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def with_overlays(definition_sha256: str, contents: Iterable[str]) -> str:
    """Digest of a definition with overlays put over it; its own without any.

    contents: of each overlay in order, its digest, or ``name==version``.
    """
    contents = list(contents)
    if not contents:
        return definition_sha256
    return hashlib.sha256("\n".join([definition_sha256, *contents]).encode()).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        hidden = path.name.startswith(".") or path.name.endswith(".egg-info")
        if hidden or path.name in BUILT or path.suffix == ".pyc" or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path
