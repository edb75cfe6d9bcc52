"""The models that can be measured, as the ``model.yaml`` of each folder describes them."""

import os
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema.exceptions import best_match

from millistep.planning.config import ConfigError, check_names, read_yaml, violations, words

PARTS = ("models", "frameworks")  # of a user's folder
OWN = Path(__file__).parent.parent / "measure"  # holds our models/; the user's folders hold theirs


@dataclass(frozen=True)
class Model:
    """A model from one folder ``models/<name>``, see ``schemas/model.schema.json``; or a variant of
    it: the same builders with other sizes, under a name of its own.
    """

    name: str
    file: Path  # its model.yaml
    folder: Path  # with its builders: the file's, or one next to it
    title: str
    citation: str
    preset: str
    architecture: dict[str, dict[str, Any]]  # by scale
    # By task: batch sizes by scale, the published ones, what it holds in memory.
    tasks: dict[str, dict[str, Any]]
    unsupported: list[dict[str, Any]]  # of {column, task, reason}
    # By the ending of their name: sizes, parameters.
    variants: dict[str, dict[str, Any]] = field(default_factory=dict)
    variant_of: str | None = None

    def least_memory_mib(self, task: str, scale: str) -> float:
        """Return MiB of weights, gradients and optimizer state, the least that a step needs."""
        about = self.tasks[task]
        bytes_each = 2 if self.architecture[scale].get("dtype") == "bfloat16" else 4
        # A training step holds weights, gradients and Adam's two moments, unless it
        # trains small adapters next to frozen weights.
        copies = 4 if about["trains"] == "all" else 1
        parameters: int = about["parameters"][scale]
        return parameters * bytes_each * copies / 2**20

    def is_reduced(self, scale: str) -> bool:
        """Return True if its sizes at a scale differ from those at paper scale."""
        return self.architecture[scale] != self.architecture["paper"]

    def variant(self, ending: str) -> "Model":
        """Return the variant with that ending; its sizes replace the paper's, at every scale."""
        about = self.variants[ending]
        for size in about["sizes"]:
            if size not in self.architecture["paper"]:
                allowed = ", ".join(self.architecture["paper"])
                raise ConfigError(
                    f"{self.file}: variants.{ending}.sizes: unknown size '{size}'; "
                    f"allowed are {allowed}"
                )
        sizes = {**self.architecture["paper"], **about["sizes"]}
        parameters = dict.fromkeys(self.architecture, about["parameters"])
        tasks = {
            name: {**task, "parameters": parameters, "published": []}
            for name, task in self.tasks.items()
        }
        return replace(
            self,
            name=f"{self.name}_{ending}",
            title=f"{self.title} {ending}",
            architecture=dict.fromkeys(self.architecture, sizes),
            tasks=tasks,
            variants={},
            variant_of=self.name,
        )


class Models:
    """Our models and those of the user's folders, by name."""

    def __init__(self, folders: list[str]):
        for folder in folders:
            if not any(os.path.isdir(Path(folder, part)) for part in PARTS):
                above = Path(folder).parent
                inner = Path(folder).name in PARTS and os.path.isdir(folder)
                hint = f"; '{above}' has" if inner else ""
                raise ConfigError(
                    f"folders: '{folder}' contains no folder models or frameworks{hint}"
                )
        self._roots = (OWN, *map(Path, folders))
        check_names(self._roots, "models")
        self._loaded: dict[str, Model] = {}  # every run of a plan needs its model

    def names(self) -> list[str]:
        """Return the names of all models, without their variants."""
        return sorted(
            path.parent.name for root in self._roots for path in root.glob("models/*/model.yaml")
        )

    def load(self, name: str) -> Model:
        """Return one model or variant; raises :class:`ConfigError` for an unknown or broken one."""
        if name not in self._loaded:
            self._loaded[name] = self._read(name)
        return self._loaded[name]

    def _read(self, name: str) -> Model:
        if model := self._folder(name):
            return model
        base, _, ending = name.rpartition("_")
        model = self._folder(base) if base else None
        if model and ending in model.variants:
            return model.variant(ending)
        known = [*self.names(), *(f"{base}_{end}" for end in (model.variants if model else ()))]
        raise ConfigError(f"models: unknown model '{name}'; allowed are {', '.join(known)}")

    def _folder(self, name: str) -> Model | None:
        """Return the model of the folder of this name; None if there is none."""
        for root in self._roots:
            folder = root / "models" / name
            if (folder / "model.yaml").is_file():
                return _load(folder)
        return None


@cache
def _load(folder: Path) -> Model:
    path = folder / "model.yaml"
    content = read_yaml(str(path))
    error = best_match(violations("model", content))
    if error:
        raise ConfigError(f"{path}: {words(error)}")
    of_builders = folder.with_name(content.pop("builders", folder.name))
    if not of_builders.is_dir():
        raise ConfigError(f"{path}: builders: there is no folder {of_builders}")
    about = {"unsupported": [], **content}
    return Model(name=folder.name, file=path, folder=of_builders, **about)
