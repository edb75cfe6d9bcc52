"""Global switches of Python and the libraries, which a model's code may leave changed.

Each costs or saves time in every step. They are read before the code is imported, and again with
the observed settings. Precision, threads, denormals and oneDNN are observed on their own.
"""

import re
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from operator import attrgetter
from typing import Any

# By module: attributes, and functions without arguments. A release may lack some.
SWITCHES = {
    "gc": "isenabled get_threshold",
    "sys": "gettrace getprofile getswitchinterval",
    tracemalloc.__name__: "is_tracing",
    "keras": "config.is_flash_attention_enabled config.is_traceback_filtering_enabled",
    # The stacks have modes that see each operation: of torch.set_default_device, for example.
    "torch": "is_anomaly_enabled are_deterministic_algorithms_enabled autograd._profiler_enabled "
    "backends.cudnn.enabled backends.cudnn.deterministic backends.quantized.engine "
    "backends.cuda.flash_sdp_enabled backends.cuda.mem_efficient_sdp_enabled "
    "backends.cuda.math_sdp_enabled backends.cuda.cudnn_sdp_enabled backends.opt_einsum.enabled "
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction "
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction backends.mha.get_fastpath_enabled "
    "nn.modules.module._has_any_global_hook _C._is_multithreading_enabled "
    "_C._cuda_isHistoryEnabled _C._len_torch_function_stack _C._len_torch_dispatch_stack",
    # Text that sets all that differs from the defaults.
    "torch._dynamo.config": "codegen_config",
    "torch._inductor.config": "codegen_config",
    "tensorflow": "config.optimizer.get_jit config.optimizer.get_experimental_options "
    "debugging.get_log_device_placement",
    "tensorflow.python.framework.config": "is_op_determinism_enabled",
    "tensorflow.python.eager.context": "_context._thread_local_data.op_callbacks",
    "tensorflow.python.profiler.profiler_v2": "_profiler",
    "jax": "config.values",
    "jax._src.profiler": "_profile_state.profile_session",
}
# Settings of JAX that change no step, or that are observed as the precision.
OTHERS = re.compile(r"jax_.*(log|cache|traceback|explain|dump|matmul_precision)")
_before: dict[str, Any] = {}


def remember() -> None:
    """Remember the switches as they are; those that are known already stay as they were."""
    for name, value in _read():
        _before.setdefault(name, value)


def changed() -> str:
    """Return the switches that have changed since :func:`remember`, with their values."""
    found = []
    for name, value in _read():
        # The first compilation imports its module, which has the defaults until then.
        before = _before.get(name, {} if name.endswith("codegen_config") else value)
        if not isinstance(value, dict):
            before, value = {name: before}, {name: value}
        for key, each in value.items():
            if before.get(key) != each and not OTHERS.match(key):
                found.append(f"{key} = {each}")
    return ", ".join(found) or "none"


def _read() -> Iterator[tuple[str, Any]]:
    for module, names in SWITCHES.items():
        for name in names.split() if module in sys.modules else ():
            with suppress(Exception):
                value = attrgetter(name)(sys.modules[module])
                yield f"{module}.{name}", _plain(value() if callable(value) else value)


def _plain(value: Any) -> Any:
    """Return several switches as a dict, and objects, such as a profiler, as True."""
    if isinstance(value, str) and (value == "" or " = " in value):
        return dict(line.split(" = ", 1) for line in value.splitlines() if " = " in line)
    kept = type(value) is dict or isinstance(value, bool | int | float | str | tuple)
    return copy(value) if kept else bool(value)
