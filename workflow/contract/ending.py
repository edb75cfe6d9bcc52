"""What became of a run, as a status and a reason in words, from the raw facts of its record."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Literal, get_args

from contract.device_memory import whose_limit

Status = Literal["ok", "unsupported", "too large", "oom", "timeout", "error", "killed", "invalid"]
STATUSES: tuple[Status, ...] = get_args(Status)

OUT_OF_MEMORY_TYPES = ("MemoryError", "OutOfMemoryError", "ResourceExhaustedError")
OUT_OF_MEMORY_WORDS = (
    "RESOURCE_EXHAUSTED",
    "out of memory",
    "OOM when allocating",
    "can't allocate memory",
    "bad_alloc",
    # Of cuBLAS and cuDNN, which take memory of the device for themselves when first used.
    "STATUS_ALLOC_FAILED",
    "DEVICE_ALLOCATION_FAILED",
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
# How Keras begins the message of an exception in a layer, before the exception's own, in bold.
IN_A_LAYER = "Exception encountered when calling "
IN_BOLD = re.compile(r"\x1b\[\d+m")
# How TensorFlow begins that of an operation of a graph, and what it says behind its own words.
IN_A_GRAPH, NODE = "Graph execution error:", "[[{{node "
# Exceptions of ours: another device than was asked for; nothing that builds an extension.
CANNOT_HERE = ("WrongDevice", "NoCompiler")
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MAX_REASON = 500  # characters
MOST_LATE = 0.02  # of a block's time; a fence that waits for everything leaves nothing
PROCESS_ENDED = "ProcessEnded"  # in the place of an exception's type: the run's ending says how
WHOLE_JOB_KILLED = "the whole job was ended from outside, by a cluster's or the machine's limit"


@dataclass(frozen=True)
class Ending:
    """What the parent saw of the end of a measuring process."""

    done: bool  # the child said that it had finished
    exit_code: int  # negative: the signal that ended it
    failure: dict[str, str] | None = None  # the child's own exception: type, message
    timed_out_after_s: float | None = None
    memory_over_mib: dict[str, float] | None = None  # used, limit
    kernel_killed_for_memory: bool = False
    measured: bool = False  # it came to the end of the measurement; probes may follow
    device_free_mib: float | None = None  # of the GPU, when it was last looked at
    last_words: str | None = None  # of a crash: what a library printed of its reason


def of_record(record: dict[str, Any]) -> tuple[Status, str]:
    """``(status, reason)`` of a record that passed its schema; the reason is empty when ok."""
    if record["not_tried"]:
        return _of_what_was_not_tried(record["not_tried"])
    if record["ending"] is None:
        return "killed", WHOLE_JOB_KILLED
    ending = Ending(**record["ending"])
    status, reason = of_process(ending)
    if status == "ok" or ending.measured:
        if record.get("withheld") and not (record["timing"] and record["timing"]["blocks"]):
            return "error", f"its times are none: {record['withheld'][0]}"[:MAX_REASON]
        return _of_timing(record["timing"])
    if status == "oom" and record["cell"]["accelerator"] == "cuda":
        limit_mib = record["memory"].get("device_limit_mib")
        reason += whose_limit(reason, ending.device_free_mib, limit_mib)
    return status, reason


def of_process(ending: Ending) -> tuple[Status, str]:
    """``(status, reason)`` of a process; the reason is one line, empty when ok."""
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
    if ending.exit_code < 0:
        return _of_signal(-ending.exit_code, ending.last_words)
    return _of_crash(f"the process ended with exit code {ending.exit_code}", ending.last_words)


def of_control(data: dict[str, Any]) -> tuple[str, str]:
    """``(status, reason)`` of a canary or a self-test, from the raw facts of its file; files from
    before these were kept have the words of their day.
    """
    if "ending" not in data:
        return data["status"], data["reason"]
    if data["refused"]:
        return "error", data["refused"]
    if data["ending"] is None:
        return "killed", WHOLE_JOB_KILLED
    return of_process(Ending(**data["ending"]))


def of_restart(compiled: int | str | None) -> str | None:
    """Why a run was started a second time; older records have the words of their day."""
    return _compiled(compiled) if isinstance(compiled, int) else compiled


def of_probes(record: dict[str, Any]) -> list[str]:
    """Why steps at other batch sizes or lengths were not timed, a reason for each of them."""
    return [_of_probe(probe["failed"], record) for probe in record["probes"] if probe["failed"]]


def _of_probe(failed: dict[str, str] | str, record: dict[str, Any]) -> str:
    if isinstance(failed, str):  # older records have the words of their day
        return failed
    if failed["type"] == PROCESS_ENDED and record["ending"]:
        return of_process(Ending(**record["ending"]))[1]
    return _of_failure(**failed)[1]


def _of_signal(number: int, last_words: str | None) -> tuple[Status, str]:
    known = number in {entry.value for entry in signal.Signals}
    name = signal.Signals(number).name if known else f"signal {number}"
    if number in FROM_OUTSIDE:
        return "killed", f"ended from outside by {name}"
    return _of_crash(f"the process crashed with {name}", last_words)


def _of_crash(what: str, last_words: str | None) -> tuple[Status, str]:
    """A library that ends the process by itself raises nothing, and prints why."""
    if not last_words:
        return "error", f"{what} and said nothing"
    return _by_words(last_words) or "error", f"{what}: {last_words}"[:MAX_REASON]


def _of_failure(type: str, message: str) -> tuple[Status, str]:
    words = _own_words(message)
    reason = (f"{type}: {words}" if words else type)[:MAX_REASON]
    if type in OUT_OF_MEMORY_TYPES:
        return "oom", reason
    if type in CANNOT_HERE:
        # Nothing failed: this column cannot do here what is asked, and another machine's might.
        return "unsupported", (words or type)[:MAX_REASON]
    if status := _by_words(message):
        return status, reason
    if type == "ModuleNotFoundError":
        return "error", f"missing package, {reason}"[:MAX_REASON]
    return "error", reason


def _own_words(message: str) -> str:
    """What an exception says first; of one in a layer of Keras, in which one, and its own words; of
    one in a graph of TensorFlow its own words, which stand behind where the graph was made.
    """
    plain = (line.strip() for line in IN_BOLD.sub("", message).splitlines())
    first, *rest = [line for line in plain if line] or [""]
    if first.startswith(IN_A_LAYER) and rest:
        return f"in {first.removeprefix(IN_A_LAYER).rstrip('.')}: {rest[0]}"
    if first == IN_A_GRAPH:
        own = (words for words, line in pairwise(rest) if line.startswith(NODE))
        return " ".join([first, *islice(own, 1)])
    return first


def _by_words(message: str) -> Status | None:
    """The status that a library's words alone say."""
    if any(words in message for words in OUT_OF_MEMORY_WORDS):
        return "oom"
    return "unsupported" if any(words in message for words in NO_DEVICE_WORDS) else None


def _of_timing(timing: dict[str, Any] | None) -> tuple[Status, str]:
    """Of a run that ended well: a compilation is no step, and a fence leaves nothing to do."""
    if not timing:
        return "ok", ""
    if compiled := timing["compilations"]["during_timing"]:
        return "invalid", _compiled(compiled)
    late = _late_share(timing)
    if late > MOST_LATE:
        return "invalid", (
            f"{100 * late:.0f} % of the time that a block of steps took was still to come when its "
            "fence had returned: the clock stopped before the work did"
        )
    return "ok", ""


def _late_share(timing: dict[str, Any]) -> float:
    """Of the time until a block was really done, the part after its fence; the median block's,
    since one of them may have been held up by the machine. 0 where the framework does not tell.
    """
    pairs = zip(timing.get("late_ns") or [], timing["blocks"], strict=False)
    shares = sorted(late / (late + block["elapsed_ns"]) for late, block in pairs)
    return shares[len(shares) // 2] if shares else 0.0


def _compiled(number: int) -> str:
    what = "a compilation" if number == 1 else f"{number} compilations"
    return f"{what} fell into the timed window"


def _of_what_was_not_tried(not_tried: dict[str, Any]) -> tuple[Status, str]:
    if "not_installed" in not_tried:
        return "error", not_tried["not_installed"][:MAX_REASON]
    if "not_deployed" in not_tried:
        return "error", f"no environment: {not_tried['not_deployed']}"[:MAX_REASON]
    return "too large", _too_large(not_tried)


def _too_large(not_tried: dict[str, Any]) -> str:
    where = {"gpu": "the GPU has", "host": "the limit of host memory is"}[not_tried["memory_of"]]
    needed_gib, available_gib = not_tried["needed_mib"] / 1024, not_tried["available_mib"] / 1024
    return (
        f"weights, gradients and optimiser alone need {needed_gib:.1f} GiB, "
        f"{where} {available_gib:.1f} GiB"
    )
