"""The measured process: import, build, measure one task, tell the parent.

Reads its cell from the command line as JSON and writes one JSON line per event
to the file descriptor it is given. A kill loses only what was in flight.
"""

import contextlib
import dataclasses
import importlib
import json
import os
import re
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from measure import frameworks, models  # noqa: E402 (the path above is how they are found)
from measure.machine import die_with_parent, other_cpu_seconds  # noqa: E402
from measure.protocol import PROTOCOLS, Protocol  # noqa: E402
from measure.timer import Timer  # noqa: E402


class Events:
    """JSON lines to the parent."""

    def __init__(self, descriptor: int):
        self._descriptor = descriptor

    def send(self, kind: str, **fields) -> None:
        os.write(self._descriptor, (json.dumps({"event": kind, **fields}) + "\n").encode())


def main() -> None:
    die_with_parent()
    task = json.loads(sys.argv[1])
    events = Events(task["events_fd"])
    if hasattr(os, "sched_setaffinity"):  # Linux; elsewhere the pools' sizes alone hold
        os.sched_setaffinity(0, task["affinity"])
    for folder in task["folders"]:
        models.__path__.append(str(Path(folder, "models")))
        frameworks.__path__.append(str(Path(folder, "frameworks")))
    caught = catch_warnings()
    try:
        measure(task, events)
        events.send("warnings", warnings=caught)
        events.send("done")
    except BaseException as error:
        events.send("warnings", warnings=caught)
        events.send("failed", type=type(error).__name__, message=str(error))
        traceback.print_exc()
        leave(1)
    leave(0)


def leave(status: int) -> None:
    """End at once: tearing down a framework takes seconds and belongs to no step."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(status)


def catch_warnings() -> list[str]:
    """Collect Python warnings, each once, and still print them to the log."""
    caught: list[str] = []
    show = warnings.showwarning

    def remember(message, category, *rest):
        text = f"{category.__name__}: {message}"
        if text not in caught:
            caught.append(text)
        show(message, category, *rest)

    warnings.showwarning = remember
    return caught


def measure(task: dict, events: Events) -> None:
    """Everything that the record's timing, work, memory and parity need."""
    events.send("packages", packages=installed(), prefix=sys.prefix, python=sys.version.split()[0])
    cell = frameworks.Cell(**task["cell"])
    protocol = PROTOCOLS[task["scale"]]
    seconds = {}

    framework = frameworks.create(cell)
    start = time.perf_counter_ns()
    framework.load()
    if cell.precision != "default":
        framework.force_precision(cell.precision)
        check_precision(cell.precision, framework.precision())
    seconds["import_s"] = (time.perf_counter_ns() - start) / 1e9

    start = time.perf_counter_ns()
    framework.build()
    seconds["build_s"] = (time.perf_counter_ns() - start) / 1e9
    work = importlib.import_module(f"measure.models.{cell.model}.work")
    amount = work.per_step(cell.task, cell.architecture, cell.batch_size)
    sizes = framework.work()
    events.send("work", work={**sizes, **amount})
    check_model(sizes, task["parameters"], task["trains"])

    timer = Timer(
        protocol,
        framework.fence,
        framework.compilations,
        on_block=lambda timer: events.send("timing", timing=timing(seconds, timer)),
    )
    others = other_cpu_seconds()
    wall = time.perf_counter()
    framework.run(timer)
    wall = time.perf_counter() - wall
    events.send("foreign", share=foreign_share(others, other_cpu_seconds(), wall))
    events.send("window", ns=timer.window_ns)
    events.send("timing", timing=timing(seconds, timer))

    extra_s = 0.0
    legacy = None
    if protocol.legacy_steps:
        start = time.perf_counter_ns()
        step_ms, steps, words = framework.legacy(protocol.legacy_steps, protocol.legacy_cap_s)
        legacy = {"step_ms": step_ms, "steps": steps, "method": words}
        extra_s += (time.perf_counter_ns() - start) / 1e9
    # Before the probes, so that parity and memory are those of the measured batch size.
    events.send("parity", parity=parity(framework, amount))
    events.send("memory", peak_rss_mib=peak_rss_mib(), peak_device_mib=framework.peak_device_mib())
    events.send("timing", timing=timing(seconds, timer, legacy, extra_s))
    events.send("measured")
    probes = []
    for wanted in task["probes"] if framework.probeable else []:
        start = time.perf_counter_ns()
        probes.append(probe(framework, protocol, work, wanted))
        extra_s += (time.perf_counter_ns() - start) / 1e9
        events.send("probes", probes=probes)
    events.send("timing", timing=timing(seconds, timer, legacy, extra_s))


class WrongModel(RuntimeError):
    """The model that was built is not the one that the row is about."""


def check_model(sizes: dict, parameters: int, trains: str) -> None:
    """Raise :class:`WrongModel` unless size and what is trained are as declared."""
    trainable = sizes["trainable_parameters"]
    base = sizes["parameters"] - (trainable if trains == "adapters" else 0)
    # Meta's SegmentAnything has 256 of 641 million fewer than KerasCV's.
    if abs(base - parameters) > parameters / 1000:
        raise WrongModel(f"{base:,} parameters were built, the row is about {parameters:,}")
    if trains != "nothing" and not trainable:
        raise WrongModel("nothing is trainable: fit would report a time for no training")


class WrongPrecision(RuntimeError):
    """Float32 products are not computed in what the configuration asks for."""


def check_precision(asked: str, used: dict) -> None:
    """Raise :class:`WrongPrecision` unless the products that were tried are as asked."""
    for kind, found in used.items():
        if found != asked:
            raise WrongPrecision(f"precision {asked} was asked for, {kind} is {found}")


def parity(framework, amount: dict) -> dict:
    """What really ran, less what has no meaning for a model without images."""
    card = {**framework.parity(), **framework.precision()}
    if amount["images_per_step"] is None:
        for name in ("image_data_format", "convolution_precision"):
            card.pop(name, None)
    return card


def probe(framework, protocol: Protocol, work, wanted: dict) -> dict:
    """The same step at another batch size or length; a failure is a finding of its own."""
    short = dataclasses.replace(
        protocol,
        max_steps=protocol.probe_steps,
        min_steps=2,
        floor_s=0.0,
        cap_s=protocol.probe_cap_s,
        synchronised_steps=0,
        extends=False,
    )
    cell = framework.cell
    changed = {**cell.architecture, **{k: v for k, v in wanted.items() if k != "batch_size"}}
    batch_size = wanted.get("batch_size", cell.batch_size)
    amount = work.per_step(cell.task, changed, batch_size)
    timer = Timer(short, framework.fence, framework.compilations)
    failed = None
    try:
        framework.cell = dataclasses.replace(cell, architecture=changed)
        framework.run_at(batch_size, timer)
    except Exception as error:
        failed = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        traceback.print_exc()
    finally:
        framework.cell = cell
    generates = cell.task == "generate"
    return {
        "batch_size": batch_size,
        "max_length": changed["max_length"] if generates else None,
        "new_tokens": amount["tokens_per_step"] if generates else None,
        "steps": 0 if failed else sum(steps for steps, _ in timer.blocks),
        "elapsed_ns": 0 if failed else sum(ns for _, ns in timer.blocks),
        "failed": failed,
    }


def timing(seconds: dict, timer: Timer, legacy: dict | None = None, extra_s: float = 0.0) -> dict:
    """The record's timing, as far as it is known."""
    return {
        **seconds,
        "first_step_s": timer.first_step_ns / 1e9,
        "warmup_steps": max(1, timer.warmup_steps),
        "warmup_s": timer.warmup_ns / 1e9,
        "blocks": [{"steps": steps, "elapsed_ns": ns} for steps, ns in timer.blocks],
        "stop": timer.stop,
        "extended": timer.extended,
        "synchronised_ns": timer.synchronised_ns,
        "legacy": legacy,
        "compilations": {
            "before_timing": timer.compilations_before,
            "during_timing": timer.compilations_during,
        },
        "timed_s": timer.timed_ns / 1e9 + extra_s,
    }


def peak_rss_mib() -> float:
    """Largest resident memory of this process so far."""
    # KiB on Linux, bytes on macOS.
    unit = 2**10 if sys.platform == "linux" else 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def foreign_share(before: float | None, after: float | None, wall_s: float) -> float | None:
    """Processor time of other processes over the time of all cores."""
    if before is None or after is None or wall_s <= 0:
        return None
    return max(0.0, (after - before) / (wall_s * (os.cpu_count() or 1)))


def installed() -> dict[str, str]:
    """Every distribution of this environment and its version, names normalised."""
    from importlib.metadata import distributions

    found: dict[str, str] = {}
    for distribution in distributions():
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
        found.setdefault(name, distribution.version)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    main()
