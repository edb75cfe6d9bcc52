"""Global switches of Python and the libraries, which a model's code may leave changed.

Each costs or saves time in every step. They are read before the code is imported, and again with
the observed settings. Precision, threads, denormals, oneDNN and attention have their own entries.
"""

import re
import sys
import tracemalloc
from contextlib import suppress
from operator import attrgetter
from typing import Any

VALUES = "config.values"  # several switches by name
# By module: attributes, and functions without arguments. A release may lack some.
SWITCHES = {
    "gc": "isenabled get_threshold get_freeze_count",
    "sys": "gettrace getprofile getswitchinterval",
    tracemalloc.__name__: "is_tracing",
    "keras": "config.is_flash_attention_enabled config.is_traceback_filtering_enabled",
    # The stacks have modes that see each operation: of torch.set_default_device, for example.
    "torch": "is_anomaly_enabled are_deterministic_algorithms_enabled autograd._profiler_enabled "
    "backends.cudnn.enabled backends.cudnn.deterministic backends.mha.get_fastpath_enabled "
    "backends.quantized.engine nn.modules.module._has_any_global_hook "
    "_C._is_multithreading_enabled _C._len_torch_function_stack _C._len_torch_dispatch_stack",
    "tensorflow": "config.optimizer.get_jit config.optimizer.get_experimental_options",
    "tensorflow.python.framework.config": "is_op_determinism_enabled",
    "tensorflow.python.eager.context": "_context._thread_local_data.op_callbacks",
    "tensorflow.python.profiler.profiler_v2": "_profiler",
    "jax": VALUES,
    "jax._src.profiler": "_profile_state.profile_session",
}
# Settings of JAX that change no step, or that are observed as the precision.
OTHERS = re.compile(r"jax_.*(log|cache|traceback|explain|dump|matmul_precision)")
_before: dict[str, Any] = {}


def remember() -> None:
    """Remember the switches as they are; only the first call does."""
    _before.update(_before or _read())


def changed() -> str:
    """Return the switches that have changed since :func:`remember`, with their values."""
    now = {name: value for name, value in _read().items() if not OTHERS.match(name)}
    found = [f"{name} = {each}" for name, each in now.items() if _before.get(name, each) != each]
    return ", ".join(found) or "none"


def _read() -> dict[str, Any]:
    """Return the values by name; those of objects, such as a profiler, are True."""
    found: dict[str, Any] = {}
    for module, name in ((m, n) for m in SWITCHES if m in sys.modules for n in SWITCHES[m].split()):
        with suppress(Exception):
            value = attrgetter(name)(sys.modules[module])
            value = value() if callable(value) else value
            found |= value if name == VALUES else {f"{module}.{name}": value}
    plain = (bool, int, float, str, tuple, dict)
    return {name: each if type(each) in plain else bool(each) for name, each in found.items()}
