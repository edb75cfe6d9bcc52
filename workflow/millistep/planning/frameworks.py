"""The frameworks that columns are made of, as ``frameworks.yaml`` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from millistep.planning.config import ConfigError, check_names, read_yaml, violations, words
from millistep.planning.settings import SETTINGS

OWN = (
    Path(__file__).parent.parent / "measure"
)  # holds our frameworks/; the user's folders may hold theirs
DEFAULTS = {"start_rank": 99, "against": {}}


@dataclass(frozen=True)
class Framework:
    """A framework's description, see ``measure/frameworks/frameworks.yaml``."""

    name: str
    folder: Path  # holds its class in frameworks/<module>.py
    module: str
    title: str
    family: str
    environment: str
    library: str
    start_rank: int
    settings: tuple[tuple[str, object], ...]  # the framework's own values
    against: tuple[tuple[str, str], ...]
    colors: tuple[str, ...]  # its own, and shades for columns with settings
    marker: str
    hatch: str

    @cached_property
    def file(self) -> Path:
        """The source file of its class."""
        return self.folder / "frameworks" / f"{self.module}.py"


def frameworks(folders: list[str]) -> dict[str, Framework]:
    """Return our frameworks and those of the user's folders, by name; raises
    :class:`ConfigError`.
    """
    found: dict[str, Framework] = {}
    check_names((OWN, *map(Path, folders)), "frameworks")
    for folder in (OWN, *map(Path, folders)):
        path = folder / "frameworks" / "frameworks.yaml"
        if folder == OWN or path.is_file():
            found |= _read(path, found)
    return found


def _read(path: Path, before: Mapping[str, Framework]) -> dict[str, Framework]:
    found: dict[str, Framework] = {}
    for name, entry in read_yaml(str(path)).items():
        if name in before:
            raise ConfigError(f"{path}: {name}: another framework has this name")
        if not isinstance(entry, dict):
            raise ConfigError(f"{path}: {name}: not a mapping of its properties")
        folder, entry = path.parent.parent, dict(entry)
        if "like" in entry:
            base = {**before, **found}.get(entry.pop("like"))
            if base is None:
                allowed = ", ".join([*before, *found])
                raise ConfigError(f"{path}: {name}.like: unknown framework; allowed are {allowed}")
            folder = folder if "module" in entry else base.folder
            entry = {**_taken_over(base), **entry}
        _check(path, name, entry)
        found[name] = _framework(name, folder, entry)
    return found


def _check(path: Path, name: str, entry: dict[str, Any]) -> None:
    """Raise :class:`ConfigError` if an entry breaks the schema or has a setting of every column."""
    some = sorted(setting for setting, about in SETTINGS.items() if "frameworks" in about)
    own = entry.get("settings")
    for key in own if isinstance(own, dict) else ():
        if key not in some:
            allowed = ", ".join(some)
            raise ConfigError(
                f"{path}: {name}.settings: unknown key '{key}'; allowed are {allowed}"
            )
    if errors := violations("frameworks", {name: entry}):
        raise ConfigError(f"{path}: {words(errors[0])}")


def _framework(name: str, folder: Path, entry: dict[str, Any]) -> Framework:
    own = {key: of["default"] for key, of in SETTINGS.items() if name in of.get("frameworks", ())}
    entry = {**DEFAULTS, "module": name.replace("-", "_"), "settings": own, **entry}
    pairs: dict[str, Any] = {key: tuple(entry.pop(key).items()) for key in ("settings", "against")}
    color = entry.pop("color")
    colors = (color,) if isinstance(color, str) else tuple(color)
    return Framework(name=name, folder=folder, **entry, **pairs, colors=colors)


def _taken_over(base: Framework) -> dict[str, Any]:
    """Return the keys that a framework which is `like` another takes over: all but `against`."""
    names = ("module", "title", "family", "environment", "library", "start_rank", "marker", "hatch")
    return {name: getattr(base, name) for name in names} | {
        "settings": dict(base.settings),
        "color": list(base.colors),
    }
