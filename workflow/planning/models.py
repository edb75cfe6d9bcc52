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
    tasks: dict  # by task: batch sizes by scale, and the published ones
    unsupported: list  # of {task, framework, reason}


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
