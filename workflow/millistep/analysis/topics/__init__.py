"""Topics: one module per question, listed in the order of the report.

A topic has a `TITLE`, `table(data)`, which is the CSV under the module's name, `sentences(table)`,
and optionally `figure(data, panels)`, where `panels` are the axes of its workloads. A study adds
its own: the module `analysis.py` in its folder, if the configuration names that folder in
`folders`.
"""

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from millistep.analysis.topics import batch_sizes, break_even, padding, pair_means, pairs, why

TOPICS = {
    module.__name__.rpartition(".")[2]: module
    for module in (pairs, pair_means, why, padding, batch_sizes, break_even)
}


def topics(folders: Iterable[Path] = ()) -> dict[str, ModuleType]:
    """Return all topics by name, those of the folders last.

    The module of a folder is code of the user, trusted as their models are: never pass a folder
    that an archive names. Its name is its `NAME`, or that of the folder.
    """
    found = dict(TOPICS)
    for path in (Path(folder, "analysis.py") for folder in folders):
        if not path.is_file():
            continue
        spec: Any = importlib.util.spec_from_file_location(
            f"millistep_study_{path.parent.name}", path
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        name = getattr(module, "NAME", path.parent.name)
        if name in found:
            raise ValueError(f"{path}: another topic is named {name}. Change its NAME.")
        found[name] = module
    return found
