"""The frameworks that columns are made of, as ``frameworks.yaml`` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from millistep.contracts.base import Violation, checked
from millistep.contracts.model import FrameworkEntry, Frameworks
from millistep.contracts.settings import DEFAULTS, SETTINGS
from millistep.planning.config import ConfigError, check_names, read_yaml

OWN = (
    Path(__file__).parent.parent / "measure"
)  # holds our frameworks/; the user's folders may hold theirs


class Framework(FrameworkEntry):
    """A framework's description, see ``measure/frameworks/frameworks.yaml``."""

    name: str
    folder: Path  # holds its class in frameworks/<module>.py

    @cached_property
    def own(self) -> dict[str, Any]:
        """The framework's own values of the settings that only some frameworks take."""
        return self.settings.model_dump(exclude_unset=True)

    @cached_property
    def colors(self) -> list[str]:
        """Its own color, and shades for columns with settings."""
        return [self.color] if isinstance(self.color, str) else self.color

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
        found[name] = _framework(path, name, folder, entry)
    return found


def _framework(path: Path, name: str, folder: Path, entry: dict[str, Any]) -> Framework:
    """Return a framework; raises :class:`ConfigError` if its entry violates its contract, or has a
    setting of every column.
    """
    some = sorted(setting for setting, about in SETTINGS.items() if about.frameworks)
    own = entry.get("settings")
    for key in own if isinstance(own, dict) else ():
        if key not in some:
            allowed = ", ".join(some)
            raise ConfigError(
                f"{path}: {name}.settings: unknown key '{key}'; allowed are {allowed}"
            )
    own = {key: DEFAULTS[key] for key, of in SETTINGS.items() if name in of.frameworks}
    try:
        (about,) = checked(Frameworks, {name: {"settings": own, **entry}}).root.values()
    except Violation as problem:
        raise ConfigError(f"{path}: {problem}") from None
    module = about.module or name.replace("-", "_")
    return Framework.model_construct(
        None, **{**dict(about), "module": module, "name": name, "folder": folder}
    )


def _taken_over(base: Framework) -> dict[str, Any]:
    """Return the keys that a framework which is `like` another takes over: all but `against`."""
    return base.model_dump(exclude={"name", "folder", "against"}, exclude_unset=True)
