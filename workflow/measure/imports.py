"""Times the import of a package, whoever asks for it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from typing import Any


class _Watch:
    """An import finder that finds what the others do, and times the one package."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.seconds: float | None = None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._package:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next(filter(None, found), None)
        if spec and spec.loader:
            self._time(spec.loader)
        return spec

    def _time(self, loader: Any) -> None:
        execute = loader.exec_module

        def timed(module: Any) -> None:
            start = time.perf_counter()
            execute(module)
            self.seconds = time.perf_counter() - start

        loader.exec_module = timed


@contextmanager
def timed(package: str) -> Iterator[_Watch]:
    """Time the import of a package in this context; ``seconds`` stays None if nobody imports it."""
    watch: Any = _Watch(package)
    sys.meta_path.insert(0, watch)
    try:
        yield watch
    finally:
        sys.meta_path.remove(watch)
