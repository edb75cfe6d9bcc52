"""The models and frameworks that can be measured, as their files in yaml describe them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from millistep.contracts.base import Violation, checked
from millistep.contracts.model import SCALES, FrameworkEntry, Frameworks, ModelFile
from millistep.contracts.settings import DEFAULTS, SETTINGS
from millistep.planning.config import ConfigError, check_known, check_names, read_yaml

PARTS = ("models", "frameworks")  # of a user's folder
OWN = Path(__file__).parent.parent / "measure"  # holds our models/; the user's folders hold theirs


class Model(ModelFile):
    """A model from a folder ``models/<name>``, or a variant: its builders with other sizes."""

    name: str
    file: Path  # its model.yaml
    folder: Path  # with its builders: the file's, or one next to it
    variant_of: str | None = None

    def least_memory_mib(self, task: str, scale: str) -> float:
        """Return MiB of weights, gradients and optimizer state, the least that a step needs."""
        about = self.tasks[task]
        bytes_each = 2 if self.architecture[scale].get("dtype") == "bfloat16" else 4
        # A training step holds weights, gradients and Adam's two moments, unless it
        # trains small adapters next to frozen weights.
        copies = 4 if about.trains == "all" else 1
        return about.parameters[scale] * bytes_each * copies / 2**20

    def variant(self, ending: str) -> Model:
        """Return the variant with that ending; its sizes replace the paper's, at every scale."""
        about, paper = self.variants[ending], self.architecture["paper"]
        for size in about.sizes:
            check_known(f"{self.file}: variants.{ending}.sizes", "size", size, paper)
        changes = {"parameters": dict.fromkeys(SCALES, about.parameters), "published": []}
        return self.model_copy(
            update={
                "name": f"{self.name}_{ending}",
                "title": f"{self.title} {ending}",
                "architecture": {scale: {**paper, **about.sizes} for scale in SCALES},
                "tasks": {
                    name: task.model_copy(update=changes) for name, task in self.tasks.items()
                },
                "variants": {},
                "variant_of": self.name,
            }
        )


class Models:
    """Our models and those of the user's folders."""

    def __init__(self, folders: list[str]):
        for folder in folders:
            if not any(os.path.isdir(Path(folder, part)) for part in PARTS):
                inner = Path(folder).name in PARTS and os.path.isdir(folder)
                hint = f"; '{Path(folder).parent}' has" if inner else ""
                raise ConfigError(
                    f"folders: '{folder}' contains no folder models or frameworks{hint}"
                )
        roots = (OWN, *map(Path, folders))
        check_names(roots, "models")
        files = [path for root in roots for path in root.glob("models/*/model.yaml")]
        self._folders = {path.parent.name: path.parent for path in files}
        self.load = cache(self._read)  # every run of a plan needs its model

    def names(self) -> list[str]:
        """Return the names of all models, without their variants."""
        return sorted(self._folders)

    def _read(self, name: str) -> Model:
        """Return one model or variant; raises :class:`ConfigError` for an unknown or broken one."""
        if name in self._folders:
            return _load(self._folders[name])
        base, _, ending = name.rpartition("_")
        model = _load(self._folders[base]) if base in self._folders else None
        if model and ending in model.variants:
            return model.variant(ending)
        known = [*self.names(), *(f"{base}_{end}" for end in (model.variants if model else ()))]
        raise ConfigError(f"models: unknown model '{name}'; allowed are {', '.join(known)}")


@cache
def _load(folder: Path) -> Model:
    path = folder / "model.yaml"
    try:
        content = checked(ModelFile, read_yaml(str(path)))
    except Violation as problem:
        raise ConfigError(f"{path}: {problem}") from None
    of_builders = folder.with_name(content.builders or folder.name)
    if not of_builders.is_dir():
        raise ConfigError(f"{path}: builders: there is no folder {of_builders}")
    return Model.model_construct(
        None, **dict(content), name=folder.name, file=path, folder=of_builders
    )


def measures(model: Model, task: str, scale: str) -> dict[str, str]:
    """Return the words of the file, with sizes in place of braces, and some that follow from sizes:
    precision, parameters, memory.

    Raises :class:`ConfigError` for a name in braces that is no size of the model.
    """
    about, sizes = model.tasks[task], model.architecture[scale]
    found = {}
    for name, text in about.measures.model_dump(exclude_unset=True).items():
        try:
            found[name] = text.format_map({key: _words(size) for key, size in sizes.items()})
        except (LookupError, ValueError, AttributeError, TypeError) as problem:
            raise ConfigError(
                f"{model.file}: tasks.{task}.measures.{name}: {problem}: not a size of the model; "
                f"allowed in braces are {', '.join(sizes)}"
            ) from None
    if count := about.parameters[scale]:
        gib = model.least_memory_mib(task, scale) / 1024
        found |= {"precision": sizes.get("dtype", "float32"), "parameters": f"{count:,}"}
        found["memory"] = f"{gib:.1f} GiB" if gib >= 1 else f"{gib * 1024:,.0f} MiB"
    return found


def _words(size: object) -> str:
    """Return a size as a reader writes it: a list as `1, 2`, inner lists as `128 x 7`."""
    if isinstance(size, list):
        inner = (_words(each).replace(", ", " x ") for each in size)
        return ", ".join(inner) or "none"
    return f"{size:,}" if isinstance(size, int) and not isinstance(size, bool) else str(size)


class Framework(FrameworkEntry):
    """A framework's description, see ``measure/frameworks/frameworks.yaml``."""

    name: str
    folder: Path  # holds its class in frameworks/<module>.py

    @cached_property
    def own(self) -> dict[str, Any]:
        """The framework's own values of the settings that only some frameworks take."""
        return self.settings.model_dump(exclude_unset=True)


def frameworks(folders: list[str]) -> dict[str, Framework]:
    """Return our and the user's frameworks by name; raises :class:`ConfigError`."""
    found: dict[str, Framework] = {}
    roots = (OWN, *map(Path, folders))
    check_names(roots, "frameworks")
    files = (root / "frameworks" / "frameworks.yaml" for root in roots)
    for path in filter(Path.is_file, files):
        for name, entry in read_yaml(str(path)).items():
            if name in found:
                raise ConfigError(
                    f"{path}: {name}: another framework has this name; rename this one"
                )
            found[name] = _framework(path, name, entry, found)
    return found


def _framework(path: Path, name: str, entry: Any, known: Mapping[str, Framework]) -> Framework:
    if not isinstance(entry, dict):
        raise ConfigError(f"{path}: {name}: not a mapping of its properties")
    own, folder = dict(entry), path.parent.parent
    if "like" in own:
        like = str(own.pop("like"))
        check_known(f"{path}: {name}.like", "framework", like, known)
        folder = folder if "module" in own else known[like].folder
        no_part = {"name", "folder", "against"}
        own = {**known[like].model_dump(exclude=no_part, exclude_unset=True), **own}
    some = sorted(setting for setting, about in SETTINGS.items() if about.frameworks)
    given = own.get("settings")
    for key in given if isinstance(given, dict) else ():
        check_known(f"{path}: {name}.settings", "key", key, some)
    taken = {key: DEFAULTS[key] for key, of in SETTINGS.items() if name in of.frameworks}
    try:
        (about,) = checked(Frameworks, {name: {"settings": taken, **own}}).root.values()
    except Violation as problem:
        raise ConfigError(f"{path}: {problem}") from None
    module = about.module or name.replace("-", "_")
    return Framework.model_construct(
        None, **{**dict(about), "module": module, "name": name, "folder": folder}
    )
