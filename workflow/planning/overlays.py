"""Overlays: packages put over a stack's locked environment, the rest of which stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from deploy.overlays import content_sha256
from planning.config import ConfigError

PACKAGE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]*")


@dataclass(frozen=True)
class Overlay:
    """A package's version, a wheel, or a folder with a source tree."""

    source: str  # what pip is given
    word: str  # of paths
    title: str
    sha256: str | None  # of the content; None for a version, which names it


def overlays(asked, where: str) -> tuple[Overlay, ...]:
    """Of a column's ``overlay``, in its order; raises :class:`ConfigError`.

    asked: packages with their versions, or a list of those, wheels and folders.
    """
    entries = [asked] if isinstance(asked, dict) else asked
    found = []
    for entry in entries:
        if isinstance(entry, dict):
            found += [_version(name, version, where) for name, version in entry.items()]
        else:
            found.append(_path(entry, where))
    if len({overlay.word for overlay in found}) < len(found):
        raise ConfigError(f"{where}: names one package twice")
    return tuple(found)


def _version(name: str, version: str, where: str) -> Overlay:
    if not PACKAGE.fullmatch(name):
        raise ConfigError(f"{where}: '{name}' is not the name of a package")
    if not VERSION.fullmatch(version):
        raise ConfigError(f"{where}.{name}: '{version}' is not a version like 4.38.1")
    return Overlay(f"{name}=={version}", f"{name}-{version}", f"{name} {version}", None)


def _path(text: str, where: str) -> Overlay:
    path = Path(text).expanduser()
    if path.suffix == ".whl" and path.is_file():
        name, version = path.stem.split("-")[:2]
        words = (f"{name}-{version}", f"{name} {version}")
        return Overlay(str(path.resolve()), *words, content_sha256(path))
    if path.is_dir() and any((path / name).is_file() for name in ("pyproject.toml", "setup.py")):
        word = re.sub(r"[^A-Za-z0-9._-]+", "-", path.resolve().name).strip(".-") or "tree"
        return Overlay(str(path.resolve()), word, word, content_sha256(path))
    raise ConfigError(
        f"{where}: '{text}' is no wheel (.whl) and no folder with pyproject.toml or setup.py"
    )
