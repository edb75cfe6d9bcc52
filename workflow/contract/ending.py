"""How a measuring process ended, as a status and a reason in words."""

import signal
from dataclasses import dataclass

OUT_OF_MEMORY_TYPES = ("MemoryError", "OutOfMemoryError", "ResourceExhaustedError")
OUT_OF_MEMORY_WORDS = (
    "RESOURCE_EXHAUSTED",
    "out of memory",
    "OOM when allocating",
    "can't allocate memory",
    "bad_alloc",
)
# What libraries say where CUDA cannot be used at all: no device, no driver, one too old.
NO_DEVICE_WORDS = (
    "Unable to initialize backend 'cuda'",
    "Torch not compiled with CUDA enabled",
    "Found no NVIDIA driver",
    "The NVIDIA driver on your system is too old",
    "CUDA driver version is insufficient",
    "No CUDA GPUs are available",
    "no CUDA-capable device is detected",
)


@dataclass(frozen=True)
class Ending:
    """What the parent saw."""

    done: bool  # the child said that it had finished
    exit_code: int  # negative: the signal that ended it
    failure: dict | None  # the child's own words: type, message
    timed_out_after_s: float | None = None
    memory_over_mib: tuple[float, float] | None = None  # (used, limit)
    kernel_killed_for_memory: bool = False


def status(ending: Ending) -> tuple[str, str]:
    """``(status, reason)``; the reason is one line, empty when ok."""
    if ending.timed_out_after_s is not None:
        return "timeout", f"not finished after the time limit of {ending.timed_out_after_s:g} s"
    if ending.memory_over_mib:
        used, limit = ending.memory_over_mib
        return "oom", f"used {used:.0f} MiB of host memory, the limit is {limit:.0f} MiB"
    if ending.failure:
        return _failure(ending.failure)
    if ending.done:
        return "ok", ""
    if ending.exit_code == -signal.SIGKILL and ending.kernel_killed_for_memory:
        return "oom", "the kernel killed the process for lack of memory"
    if ending.exit_code < 0:
        name = signal.Signals(-ending.exit_code).name
        if -ending.exit_code in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            return "killed", f"ended from outside by {name}"
        return "error", f"the process crashed with {name}"
    return "error", f"the process ended with exit code {ending.exit_code} and said nothing"


def _failure(failure: dict) -> tuple[str, str]:
    kind, message = failure["type"], failure["message"]
    first_line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    words = f"{kind}: {first_line}" if first_line else kind
    if kind in OUT_OF_MEMORY_TYPES or any(w in message for w in OUT_OF_MEMORY_WORDS):
        return "oom", words[:500]
    if kind == "WrongDevice":
        # Nothing failed: this column cannot do here what is asked, and another machine's might.
        return "unsupported", first_line[:500]
    if any(w in message for w in NO_DEVICE_WORDS):
        return "unsupported", words[:500]
    if kind == "ModuleNotFoundError":
        return "error", f"missing package, {words}"[:500]
    return "error", words[:500]
