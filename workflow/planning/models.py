"""The models that can be measured: what each folder's ``model.yaml`` says."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from planning.config import ConfigError

FOLDER = Path(__file__).parent.parent / "measure" / "models"


@dataclass(frozen=True)
class Model:
    """One folder under ``measure/models``."""

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


def names() -> list[str]:
    """All models there are."""
    return sorted(path.parent.name for path in FOLDER.glob("*/model.yaml"))


@cache
def load(name: str) -> Model:
    """One model; raises :class:`ConfigError` for an unknown one."""
    if name not in names():
        raise ConfigError(f"models: unknown model '{name}'; allowed are {', '.join(names())}")
    folder = FOLDER / name
    # The C loader parses ten times faster; this is paid whenever the Snakefile is read.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    content = yaml.load((folder / "model.yaml").read_text(), Loader=loader)
    return Model(name=name, folder=folder, **{"unsupported": [], **content})
