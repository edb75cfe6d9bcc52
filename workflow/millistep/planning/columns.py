"""Columns: a framework with settings, and the path word and title that follow from them.

They depend on the column alone: they name each setting that is not the framework's own default.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging import utils
from packaging.version import VERSION_PATTERN

from millistep.contracts.config import Config
from millistep.contracts.settings import DEFAULTS, SETTINGS, texts
from millistep.contracts.settings import Column as Asked
from millistep.deploy.overlays import content
from millistep.planning.catalog import Framework
from millistep.planning.config import ConfigError, check_known, check_word

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
        package = utils.canonicalize_name(name, validate=True)
    except utils.InvalidName:
        raise ConfigError(f"{where}: '{name}' is not the name of a package") from None
    if not re.fullmatch(VERSION_PATTERN, version, re.VERBOSE | re.IGNORECASE):
        raise ConfigError(f"{where}.{name}: '{version}' is not a version like 4.38.1")
    return Overlay(f"{name}=={version}", f"{name}-{version}", f"{name} {version}", None, package)


def _path(text: str, where: str) -> Overlay:
    path = Path(os.path.expanduser(text)).absolute()
    try:
        if path.suffix == ".whl" and path.is_file():
            package, version = utils.parse_wheel_filename(path.name)[:2]
            name = path.name.partition("-")[0]
            words = (f"{name}-{version}", f"{name} {version}")
            return Overlay(str(path.resolve()), *words, content(str(path)), package)
        if path.is_dir() and any((path / name).is_file() for name in BUILDABLE):
            # Named by the path as given: links can give two checkouts different names.
            word = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(os.path.normpath(path)).name).strip(".-")
            source = str(path.resolve())
            return Overlay(source, word or "tree", word or "tree", content(str(path)), source)
    except utils.InvalidWheelFilename:
        raise ConfigError(
            f"{where}: '{path.name}' is not named as wheels are, name-version-...-....whl"
        ) from None
    except OSError as error:
        raise ConfigError(f"{where}: {error.filename}: {error.strerror}") from None
    raise ConfigError(
        f"{where}: '{text}' is neither a wheel (.whl) nor a folder with {' or '.join(BUILDABLE)}"
    )


# The settings that every column takes, with their defaults.
EVERY = {name: DEFAULTS[name] for name, of in SETTINGS.items() if not of.frameworks}
EVERY["overlay"] = ()


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the table, with everything that ``auto`` and the global keys stand for."""

    framework: Framework
    name: str  # its word in paths
    title: str
    accelerator: str  # cpu, cuda
    stack: str
    precision: str  # with which float32 matrices are multiplied: default, float32, tf32
    threads: int
    interpreter: str | None  # the user's own, instead of the locked environment
    overlay: tuple[Overlay, ...]
    again: bool
    of_framework: Mapping[str, Any]  # the settings that this framework takes, but not all do
    asked: Mapping[str, object]  # the settings that it names, as the configuration has them

    @property
    def rule(self) -> str:
        """The name of the rule that times it, such as ``time_keras3_jax__float32``."""
        return re.sub(r"\W", "_", f"time_{self.name}".replace("+", "__"))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name, as the plan's document and the effects have them."""
        found = {name: getattr(self, name) for name in EVERY} | dict(self.of_framework)
        found["overlay"] = [overlay.title for overlay in self.overlay]
        return {name: found[name] for name in SETTINGS if name in found}


def columns(
    config: Config, frameworks: Mapping[str, Framework], resolved: Mapping[str, Any]
) -> list[Column]:
    """Return the columns of the configuration, in its order; raises :class:`ConfigError`.

    resolved: the values of settings that are ``auto``.
    """
    for name in config.interpreters:
        check_known("interpreters", "framework", name, frameworks)
    found: dict[str, Column] = {}
    for place, entry in enumerate(config.columns):
        asked = Asked(framework=entry) if isinstance(entry, str) else entry
        where = f"columns.{place}"
        check_known(where, "framework", asked.framework, frameworks)
        framework = frameworks[asked.framework]
        # The class of a framework from a user's folder may be missing; tests check ours.
        file = framework.folder / "frameworks" / f"{framework.module}.py"
        if not file.is_file():
            raise ConfigError(f"{where}: {file} is missing: the class of {framework.name}")
        column = _column(where, asked, framework, config, resolved)
        check_word(where, column.name)
        if column.name in found:
            raise ConfigError(
                f"{where}: another entry is called {column.name}, too; change a setting, "
                "or rename the folder or wheel of an overlay"
            )
        found[column.name] = column
    return list(found.values())


def _column(
    where: str, asked: Asked, framework: Framework, config: Config, resolved: Mapping[str, Any]
) -> Column:
    written = asked.model_dump(exclude={"framework"}, exclude_unset=True)
    own = {**EVERY, **framework.own}
    for setting in written:
        if setting not in own:
            allowed = ", ".join(s for s in SETTINGS if s in own)
            raise ConfigError(
                f"{where}.{setting}: {framework.name} does not take it; allowed are {allowed}"
            )
    entry = dict(written)
    if "overlay" in entry:
        entry["overlay"] = overlays(entry["overlay"], f"{where}.overlay")
    users = config.interpreters.get(framework.name)
    given = {**own, "precision": config.precision, "interpreter": users, **entry}
    if given["interpreter"] and given["overlay"]:
        raise ConfigError(
            f"{where}.overlay: not possible with your own interpreter; "
            f"install it there, or leave {given['interpreter']} out"
        )
    told = {s: entry[s] for s in SETTINGS if s in entry and entry[s] != own[s]}
    about: list[tuple[str, str]] = []  # words in paths, titles; an overlay has one for each package
    for setting, value in told.items():
        if setting == "overlay":
            about += [(package.word, package.title) for package in value]
        else:
            about.append(texts(setting, value))
    settings = {s: resolved.get(s, v) if v == "auto" else v for s, v in given.items()}
    return Column(
        framework=framework,
        name="+".join([framework.name, *(word for word, _ in about)]),
        title=", ".join([framework.title, *(title for _, title in about)]),
        **{setting: settings[setting] for setting in EVERY},
        of_framework={setting: settings[setting] for setting in framework.own},
        asked={setting: written[setting] for setting in told},
    )
