"""The status of a run and the reason for it in words, from the raw facts of its record."""

from __future__ import annotations

import re
import signal
import traceback
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from millistep.deploy.virtual_environments import EnvironmentProblem

if TYPE_CHECKING:  # no run waits for pydantic
    from millistep.contracts.record import Status

OUT_OF_MEMORY_TYPES = ("MemoryError", "OutOfMemoryError", "ResourceExhaustedError")
OUT_OF_MEMORY_WORDS = (
    "RESOURCE_EXHAUSTED",
    "out of memory",
    "OOM when allocating",
    "can't allocate memory",
    "bad_alloc",
    "bytes for new constant",  # XLA's, with "Failed to allocate" before it
    # From cuBLAS and cuDNN, which allocate device memory of their own when first used.
    "STATUS_ALLOC_FAILED",
    "DEVICE_ALLOCATION_FAILED",
)
# Messages of libraries if CUDA cannot be used at all (no device, no driver, or one too old), and
# Inductor's without a compiler.
CANNOT_HERE = (
    "Unable to initialize backend 'cuda'",
    "Torch not compiled with CUDA enabled",
    "Found no NVIDIA driver",
    "The NVIDIA driver on your system is too old",
    "CUDA driver version is insufficient",
    "No CUDA GPUs are available",
    "no CUDA-capable device is detected",
    "No working C++ compiler found",
)
# Parts of libraries' messages that name no remedy, each with one for a model of Millistep.
REMEDIES = {
    "does not require grad and does not have a grad_fn": (
        "check the model for no_grad() and detach(); predict runs in inference_mode"
    ),
    "train_step() takes 2 positional": "on JAX, train_step takes the state and the data",
    "can be implicitly created only for scalar": "the loss must be one number, such as a mean",
    "backward through the graph a second time": "detach what the model keeps from step to step",
    "Inference tensors cannot be": "a model that takes gradients in predict needs a custom loop",
    "forward() got an unexpected keyword": "batch() names the arguments of forward()",
    "forward() missing": "batch() names the arguments of forward()",
    "couldn't connect to 'https://huggingface.co'": (
        "downloads need weights: preset in the configuration"
    ),
    "'Toutput_types' of 'OptionalFromValue'": "train_step() must return its metrics in a dict",
    "positional argument: 'closure'": "an optimizer with a closure needs a custom loop",
    "unsupported operations when trying to compile": (
        "set jit_compile: false in the configuration, and pass it on by xla.options"
    ),
}
# Keras' beginning of the message of an exception in a layer; the exception's own follows in bold.
IN_A_LAYER = "Exception encountered when calling "
IN_SYMBOLS = "Error encountered:"  # end of the first line, if Keras had called it with symbols
IN_BOLD = re.compile(r"\x1b\[\d+m")
# TensorFlow's beginning of the message of an operation of a graph; NODE follows its own words.
IN_A_GRAPH, NODE = "Graph execution error:", "[[{{node "
IN_TORCHSCRIPT = "The following operation failed in the TorchScript interpreter."
IN_USER_CODE = "in user code:"  # TensorFlow's, of a function that it rewrites; the error comes last
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MAX_REASON = 500  # characters
MOST_LATE = 0.02  # share of a window's time; 0 if the synchronization waits for all work
WHOLE_JOB_KILLED = (
    "the whole job was stopped from outside: by a limit of the cluster or of the machine"
)


class Refused(Exception):
    """This run must not be measured; the message is one line for the user."""


@dataclass(frozen=True)
class Ending:
    """The end of a measuring process, as its parent saw it."""

    done: bool  # the child reported that it had finished
    exit_code: int  # negative: the signal that ended it
    failure: dict[str, str] | None = None  # the child's own exception: type, message, line
    timed_out_after_s: float | None = None
    memory_over_mib: dict[str, float] | None = None  # used, limit
    kernel_killed_for_memory: bool = False
    measured: bool = False  # the measurement was finished; only probes may be missing
    device_free_mib: float | None = None  # of the GPU, at the last sample
    last_words: str | None = None  # of a crash: the reason that a library printed


def of_record(record: dict[str, Any]) -> tuple[Status, str]:
    """Return ``(status, reason)`` of a record that matches its contract; no reason if ok."""
    if record["not_tried"]:
        return _of_not_tried(record["not_tried"])
    if record["ending"] is None:
        return "killed", WHOLE_JOB_KILLED
    ending = Ending(**record["ending"])
    status, reason = of_process(ending)
    if status == "ok" or ending.measured:
        return _of_timing(record["timing"])
    cell = record["cell"]
    if status == "oom" and cell["task"] == "predict" and cell["framework"].startswith("keras"):
        reason += "; Keras' predict keeps the outputs of all steps until its loop ends"
    return status, reason


def _of_not_tried(facts: dict[str, Any]) -> tuple[Status, str]:
    if "not_deployed" in facts:
        return "error", f"no environment: {facts['not_deployed']}"[:MAX_REASON]
    where = {"gpu": "the GPU has", "host": "the limit of host memory is"}[facts["memory_of"]]
    needed_gib, available_gib = facts["needed_mib"] / 1024, facts["available_mib"] / 1024
    return "too large", (
        f"weights, gradients and optimizer alone need {needed_gib:.1f} GiB, "
        f"{where} {available_gib:.1f} GiB"
    )


def of_process(ending: Ending) -> tuple[Status, str]:
    """Return ``(status, reason)`` of a process; the reason is one line, empty if ok."""
    status, reason = _of_process(ending)
    if status == "error" and ending.kernel_killed_for_memory:
        # Its own error may be a consequence: the kernel killed a process that it had started.
        status, reason = "oom", f"the kernel killed a process for lack of memory: {reason}"
    return status, reason[:MAX_REASON]


def _of_process(ending: Ending) -> tuple[Status, str]:
    if ending.timed_out_after_s is not None:
        return "timeout", f"not finished after the time limit of {ending.timed_out_after_s:g} s"
    if ending.memory_over_mib:
        used, limit = ending.memory_over_mib["used"], ending.memory_over_mib["limit"]
        return "oom", f"used {used:.0f} MiB of host memory, the limit is {limit:.0f} MiB"
    if ending.failure:
        return _of_failure(**ending.failure)
    if ending.done:
        return "ok", ""
    if ending.exit_code == -signal.SIGKILL and ending.kernel_killed_for_memory:
        return "oom", "the kernel killed the process for lack of memory"
    how = f"ended with exit code {ending.exit_code}"
    if (number := -ending.exit_code) > 0:
        names = {each.value: each.name for each in signal.Signals}
        name = names.get(number, f"signal {number}")
        if number in FROM_OUTSIDE:
            return "killed", f"killed from outside by {name}"
        how = f"crashed with {name}"
    if not ending.last_words:  # a library that ends a process may print why
        return "error", f"the process {how} without a message"
    return _by_words(ending.last_words) or "error", f"the process {how}: {ending.last_words}"


def of_exception(error: Exception) -> tuple[Status, str]:
    """Return ``(status, reason)`` of a run that the supervisor could not measure.

    A fault of this program, whose traceback is printed, costs this run alone.
    """
    if isinstance(error, Refused | EnvironmentProblem):
        return "refused", str(error)
    if isinstance(error, OSError):
        words = error.strerror or str(error)
        return "refused", f"{words}{f': {error.filename}' if error.filename else ''}"
    traceback.print_exception(error)
    return "error", f"millistep: {type(error).__name__}: {error}"


def of_control(data: dict[str, Any]) -> tuple[str, str]:
    """Return ``(status, reason)`` of a reference workload or a self-test, from its raw facts."""
    if data["refused"]:
        return "error", data["refused"]
    if data["ending"] is None:
        return "killed", WHOLE_JOB_KILLED
    return of_process(Ending(**data["ending"]))


def _of_failure(type: str, message: str, line: str | None = None) -> tuple[Status, str]:
    words = _own_words(message)
    place = f" ({line})" if line else ""
    place += "".join(f"; {hint}" for part, hint in REMEDIES.items() if part in message)
    reason = (f"{type}: {words}" if words else type)[: MAX_REASON - len(place)] + place
    if type in OUT_OF_MEMORY_TYPES:
        return "oom", reason
    if type == "WrongDevice":
        # Not a failure: this machine lacks the requested device, another machine may have it.
        return "unsupported", words or type
    if status := _by_words(message):
        return status, reason
    if type == "ModuleNotFoundError" and "measure.models." not in message:  # a model's own module
        return "error", f"missing package, {reason}"
    return "error", reason


def _own_words(message: str) -> str:
    """Return the first line of an exception's message. From a layer of Keras: the layer and its own
    words; from a graph of TensorFlow: its own words, which follow where the graph was made.
    """
    plain = (printable(line).strip() for line in IN_BOLD.sub("", message).splitlines())
    first, *rest = [line for line in plain if line] or [""]
    if first.startswith(IN_A_LAYER) and rest:
        if rest[0].endswith(IN_SYMBOLS) and rest[1:]:
            rest = rest[1:]
        return f"in {first.removeprefix(IN_A_LAYER).rstrip('.')}: {rest[0]}"
    if first in (IN_USER_CODE, IN_TORCHSCRIPT) and rest:
        return rest[-1].removeprefix("RuntimeError: ")
    if first == IN_A_GRAPH:
        own = (words for words, line in pairwise(rest) if line.startswith(NODE))
        return " ".join([first, *islice(own, 1)])
    return first


def printable(text: str) -> str:
    """Return a text without characters that move a cursor or that no encoding has."""
    return "".join(each if each.isprintable() or each == "\n" else " " for each in text)


def _by_words(message: str) -> Status | None:
    if any(words in message for words in OUT_OF_MEMORY_WORDS):
        return "oom"
    return "unsupported" if any(words in message for words in CANNOT_HERE) else None


def _of_timing(timing: dict[str, Any] | None) -> tuple[Status, str]:
    """Return the status of a finished run: invalid if it compiled while timed, if its
    synchronization returned early, or if another clock than the machine's timed it.
    """
    if not timing:
        return "ok", ""
    if outside := timing.get("outside_turns"):
        return "invalid", (
            f"{outside} of {len(timing['windows'])} timing windows lie outside of the run's turns: "
            "the clock of the measured process is not the machine's"
        )
    if compiled := timing["compilations"]["during_timing"]:
        what = "a compilation" if compiled == 1 else f"{compiled} compilations"
        return "invalid", f"{what} during the timing windows"
    pairs = zip(timing.get("late_ns") or [], timing["windows"], strict=False)
    shares = sorted(late / (late + window["elapsed_ns"]) for late, window in pairs)
    # The median window counts, because the machine may have held up a single one.
    if shares and (late := shares[len(shares) // 2]) > MOST_LATE:
        return "invalid", (
            f"after the synchronization, work continued for {100 * late:.0f} % of a timing window: "
            "the clock stopped before the work did"
        )
    return "ok", ""
