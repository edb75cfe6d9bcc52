"""Run a module of this package in a measured process: python start.py measure.child '{...}'.

Only this package becomes importable. Its folder and our other packages are not on the path, so
their names stay free for users' packages, such as `datasets`.
"""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != FOLDER]
    spec = importlib.util.spec_from_file_location(
        "measure", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    assert spec and spec.loader
    sys.modules["measure"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    importlib.import_module(sys.argv.pop(1)).main()


if __name__ == "__main__":
    main()
