"""Topics: one module per question, listed in the order of the report.

A topic has a `TITLE`, `METHODS` (one or two sentences), `table(data)`, which is the CSV under the
module's name, `sentences(table)`, and if it can be drawn `figure(data, panels)`, where `panels` are
the axes of its workloads. A study adds topics of its own: the modules in `topics/` of any folder of
the configuration.
"""

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from millistep.analysis.topics import batch_sizes, break_even, padding, pair_means, pairs, why

TOPICS = {
    module.__name__.rpartition(".")[2]: module
    for module in (pairs, pair_means, why, padding, batch_sizes, break_even)
}


def topics(folders: Iterable[Path] = ()) -> dict[str, ModuleType]:
    """Return all topics by name, those of the folders last.

    Modules of a folder are code of the user, trusted as their models are: never pass a folder that
    an archive names.
    """
    found = dict(TOPICS)
    for path in (
        path for folder in folders for path in sorted(Path(folder, "topics").glob("*.py"))
    ):
        if path.stem in found:
            raise ValueError(f"{path}: a topic with this name exists. Rename the file.")
        spec = importlib.util.spec_from_file_location(f"millistep_topics.{path.stem}", path)
        found[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[path.stem])
    return found
