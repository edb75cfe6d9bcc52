"""Package overrides of a column, put over its stack's locked environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import (
    InvalidName,
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from millistep.deploy.overlays import content
from millistep.planning.config import ConfigError

BUILDABLE = ("pyproject.toml", "setup.py")


@dataclass(frozen=True)
class Overlay:
    """A package's version, a wheel, or a folder with a source tree."""

    source: str  # the argument for pip
    word: str  # its part of paths
    title: str
    sha256: str | None  # of the content; None for a version, which is enough by itself
    package: str  # its normalized name; a folder's path, because only a build shows its package


def overlays(asked: dict[str, str] | list[Any], where: str) -> tuple[Overlay, ...]:
    """Return the overlays of a column's ``overlay``, in its order; raises :class:`ConfigError`.

    asked: packages with their versions, or a list of those, wheels and folders.
    """
    found = []
    for entry in [asked] if isinstance(asked, dict) else asked:
        if isinstance(entry, dict):
            found += [_version(name, version, where) for name, version in entry.items()]
        else:
            found.append(_path(entry, where))
    packages = [overlay.package for overlay in found]
    for package in packages:
        if packages.count(package) > 1:
            raise ConfigError(f"{where}: {package} appears twice; one of each package is allowed")
    return tuple(found)


def _version(name: str, version: str, where: str) -> Overlay:
    try:
        package = canonicalize_name(name, validate=True)
    except InvalidName:
        raise ConfigError(f"{where}: '{name}' is not the name of a package") from None
    try:
        Version(version)
    except InvalidVersion:
        raise ConfigError(f"{where}.{name}: '{version}' is not a version like 4.38.1") from None
    return Overlay(f"{name}=={version}", f"{name}-{version}", f"{name} {version}", None, package)


def _path(text: str, where: str) -> Overlay:
    path = Path(os.path.expanduser(text)).absolute()
    try:
        if path.suffix == ".whl" and path.is_file():
            package, version = parse_wheel_filename(path.name)[:2]
            name = path.name.partition("-")[0]
            words = (f"{name}-{version}", f"{name} {version}")
            return Overlay(str(path.resolve()), *words, content(str(path)), package)
        if path.is_dir() and any((path / name).is_file() for name in BUILDABLE):
            # Named by the path as given: links can give two checkouts different names.
            word = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(os.path.normpath(path)).name).strip(".-")
            source = str(path.resolve())
            return Overlay(source, word or "tree", word or "tree", content(str(path)), source)
    except InvalidWheelFilename:
        raise ConfigError(
            f"{where}: '{path.name}' is not named as wheels are, name-version-...-....whl"
        ) from None
    except OSError as error:
        raise ConfigError(f"{where}: {error.filename}: {error.strerror}") from None
    raise ConfigError(
        f"{where}: '{text}' is neither a wheel (.whl) nor a folder with {' or '.join(BUILDABLE)}"
    )
