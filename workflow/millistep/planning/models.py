"""The models that can be measured, as the ``model.yaml`` of each folder describes them."""

import os
from functools import cache
from pathlib import Path

from millistep.contracts.base import Violation, checked
from millistep.contracts.model import SCALES, ModelFile
from millistep.planning.config import ConfigError, check_names, read_yaml

PARTS = ("models", "frameworks")  # of a user's folder
OWN = Path(__file__).parent.parent / "measure"  # holds our models/; the user's folders hold theirs


class Model(ModelFile):
    """A model from one folder ``models/<name>``; or a variant of it: the same builders with other
    sizes, under its own name.
    """

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

    def is_reduced(self, scale: str) -> bool:
        """Return True if its sizes at a scale differ from those at paper scale."""
        return self.architecture[scale] != self.architecture["paper"]

    def variant(self, ending: str) -> "Model":
        """Return the variant with that ending; its sizes replace the paper's, at every scale."""
        about, paper = self.variants[ending], self.architecture["paper"]
        for size in about.sizes:
            if size not in paper:
                raise ConfigError(
                    f"{self.file}: variants.{ending}.sizes: unknown size '{size}'; "
                    f"allowed are {', '.join(paper)}"
                )
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
