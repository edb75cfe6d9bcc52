"""The models that can be measured: what each folder's ``model.yaml`` says."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jsonschema.exceptions import best_match

from planning.config import ConfigError, read_yaml, violations, words

OWN = Path(__file__).parent.parent / "measure"  # holds models/, as the user's folders do


@dataclass(frozen=True)
class Model:
    """One folder under ``measure/models``, see ``schemas/model.schema.json``."""

    name: str
    folder: Path
    title: str
    citation: str
    preset: str
    architecture: dict  # by scale
    tasks: dict  # by task: batch sizes by scale, the published ones, what it holds in memory
    unsupported: list  # of {task, framework, reason}

    def least_memory_mib(self, task: str, scale: str) -> float:
        """Weights, gradients and optimiser state: less than this cannot do."""
        about = self.tasks[task]
        bytes_each = 2 if self.architecture[scale].get("dtype") == "bfloat16" else 4
        # A training step holds weights, gradients and Adam's two moments, unless it
        # trains small adapters beside frozen weights.
        copies = 4 if about["trains"] == "all" else 1
        return about["parameters"][scale] * bytes_each * copies / 2**20


class Models:
    """Our models and those of the user's folders, by name."""

    def __init__(self, folders: list[str]):
        for folder in folders:
            if not any(os.path.isdir(Path(folder, part)) for part in ("models", "frameworks")):
                raise ConfigError(f"folders: '{folder}' has no folder models or frameworks in it")
        self._roots = (OWN, *map(Path, folders))

    def names(self) -> list[str]:
        """All models there are."""
        return sorted(
            path.parent.name for root in self._roots for path in root.glob("models/*/model.yaml")
        )

    def load(self, name: str) -> Model:
        """One model; raises :class:`ConfigError` for an unknown or broken one."""
        for root in self._roots:
            folder = root / "models" / name
            if (folder / "model.yaml").is_file():
                return _load(folder)
        allowed = ", ".join(self.names())
        raise ConfigError(f"models: unknown model '{name}'; allowed are {allowed}")


@cache
def _load(folder: Path) -> Model:
    path = folder / "model.yaml"
    content = read_yaml(str(path))
    error = best_match(violations("model", content))
    if error:
        raise ConfigError(f"{path}: {words(error)}")
    return Model(name=folder.name, folder=folder, **{"unsupported": [], **content})
