"""Names in a profile the C++ kernels that torch.compile made for a processor.

PyTorch's profiler sees a compiled graph as one operation. Its kernels are called through Python, so
each can be announced while a profile is taken; what was timed is not changed.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PREFIX = "cpp_"


@contextmanager
def announced(torch: Any) -> Iterator[None]:
    """While this is open, a profile names the kernels; afterwards they are as before."""
    record = torch._C._profiler._RecordFunctionFast
    found = [
        (module, name, kernel)
        for module in _generated()
        for name, kernel in list(vars(module).items())
        if name.startswith(PREFIX) and callable(kernel)
    ]
    try:
        for module, name, kernel in found:
            setattr(module, name, _announcing(record, name, kernel))
        yield
    finally:
        for module, name, kernel in found:
            setattr(module, name, kernel)


def _generated() -> list[Any]:
    """Return modules that the compiler has written; none where it was never imported."""
    cache = sys.modules.get("torch._inductor.codecache")
    return list(getattr(getattr(cache, "PyCodeCache", None), "modules", ()))


def _announcing(record: Any, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    def announce(*arguments: Any) -> Any:
        with record(name):
            return kernel(*arguments)

    return announce
