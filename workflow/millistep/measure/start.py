"""Run a module in a measured process: python start.py millistep.measure.child '{...}'.

Only our package becomes importable, by its path. Nothing is added to sys.path, so all other names
stay free for users' packages, such as `datasets`.
"""

import importlib.util
import json
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).resolve().parent
PACKAGE = "millistep"
SHORT = "measure"  # what models and frameworks may write instead of millistep.measure


def install() -> None:
    """Make our package importable."""
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != FOLDER]
    root = FOLDER.parent
    spec = importlib.util.spec_from_file_location(
        PACKAGE, root / "__init__.py", submodule_search_locations=[str(root)]
    )
    assert spec and spec.loader
    sys.modules[PACKAGE] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    if not PathFinder.find_spec(SHORT):  # a user's own package of this name
        sys.meta_path.insert(0, ShortName())


class ShortName(MetaPathFinder, Loader):
    """Finds ``measure.models`` as ``millistep.measure.models``: the same module, not a copy."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != SHORT:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"{PACKAGE}.{spec.name}")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Execute nothing, as this was done under the full name, which it keeps."""
        assert module.__spec__
        module.__spec__ = module.__spec__.loader_state


if __name__ == "__main__":
    install()
    importlib.import_module(sys.argv.pop(1)).main()
elif __name__ == "__mp_main__":  # in a process that a model has started by 'spawn'
    install()
    frameworks = importlib.import_module(f"{PACKAGE}.measure.frameworks")
    frameworks.add_folders(json.loads(sys.argv[1]).get("folders", ()))
