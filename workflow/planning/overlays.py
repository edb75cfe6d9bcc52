"""Overlays: packages put over a stack's locked environment, the rest of which stays as it is."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from deploy.overlays import content_sha256
from planning.config import ConfigError

PACKAGE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]*")
WHEEL = re.compile(
    r"(?P<name>[a-z0-9][\w.]*)-(?P<version>[\w.+!]+)(-\d\w*)?-[\w.]+-[\w.]+-[\w.]+\.whl",
    re.ASCII | re.IGNORECASE,
)
BUILDABLE = ("pyproject.toml", "setup.py")


@dataclass(frozen=True)
class Overlay:
    """A package's version, a wheel, or a folder with a source tree."""

    source: str  # what pip is given
    word: str  # its part of paths
    title: str
    sha256: str | None  # of the content; None for a version, which says enough
    package: str  # its normalised name; a folder's path, as only a build would tell its package


def overlays(asked, where: str) -> tuple[Overlay, ...]:
    """The overlays of a column's ``overlay``, in its order; raises :class:`ConfigError`.

    asked: packages with their versions, or a list of those, wheels and folders.
    """
    entries = [asked] if isinstance(asked, dict) else asked
    found = []
    for entry in entries:
        if isinstance(entry, dict):
            found += [_version(name, version, where) for name, version in entry.items()]
        else:
            found.append(_path(entry, where))
    packages = [overlay.package for overlay in found]
    for package in packages:
        if packages.count(package) > 1:
            raise ConfigError(f"{where}: {package} is there twice; one of each package is allowed")
    return tuple(found)


def _normalised(name: str) -> str:
    """A package's name in the one spelling that equal names share."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _version(name: str, version: str, where: str) -> Overlay:
    if not PACKAGE.fullmatch(name):
        raise ConfigError(f"{where}: '{name}' is not the name of a package")
    if not VERSION.fullmatch(version):
        raise ConfigError(f"{where}.{name}: '{version}' is not a version like 4.38.1")
    words = (f"{name}-{version}", f"{name} {version}")
    return Overlay(f"{name}=={version}", *words, None, _normalised(name))


def _path(text: str, where: str) -> Overlay:
    path = Path(os.path.expanduser(text)).absolute()
    try:
        if path.suffix == ".whl" and path.is_file():
            return _wheel(path, where)
        if path.is_dir() and any((path / name).is_file() for name in BUILDABLE):
            # Named by the path as given: links can give two checkouts different names.
            word = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(os.path.normpath(path)).name).strip(".-")
            source = str(path.resolve())
            return Overlay(source, word or "tree", word or "tree", content_sha256(path), source)
    except OSError as error:
        raise ConfigError(f"{where}: {error.filename}: {error.strerror}") from None
    raise ConfigError(
        f"{where}: '{text}' is no wheel (.whl) and no folder with {' or '.join(BUILDABLE)}"
    )


def _wheel(path: Path, where: str) -> Overlay:
    named = WHEEL.fullmatch(path.name)
    if named is None:
        raise ConfigError(
            f"{where}: '{path.name}' is not named as wheels are, name-version-...-....whl"
        )
    name, version = named["name"], named["version"]
    words = (f"{name}-{version}", f"{name} {version}")
    return Overlay(str(path.resolve()), *words, content_sha256(path), _normalised(name))
