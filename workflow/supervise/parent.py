"""Supervise one run: start the measuring process, watch it, write its record.

Whatever happens to the child becomes a status with a reason. Only a run that
must not be measured at all (wrong environment, no disk space) writes nothing
and is refused in one line.
"""

import copy
import dataclasses
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from contract import ending
from measure.protocol import PROTOCOLS
from supervise import device, logs, machine, processors, samples, variables
from supervise.monitor import Monitor
from supervise.record import SCHEMA, RecordFile, now
from supervise.watch import Watched

CELL_FIELDS = (
    "scale",
    "accelerator",
    "model",
    "task",
    "batch_size",
    "column",
    "framework",
    "run",
)
CHILD_FIELDS = (
    "model",
    "task",
    "batch_size",
    "framework",
    "module",
    "accelerator",
    "precision",
    "architecture",
    "weights",
    "seed",
    "threads",
)
SETTINGS = ("mode", "jit_compile")  # of the frameworks that take them
THREAD_POLICY = (
    "one thread per processor, of each physical core first, pinned, the same number in every pool"
)


class Refused(Exception):
    """This run must not be measured; the message is one line for the user."""


def run(
    identity: str,
    environment: dict,
    record_path: Path,
    log: Path,
    time_limit_s: float,
    memory_limit_mib: float,
    folders: tuple[str, ...] = (),
    monitor_interpreter: str | None = None,
) -> dict:
    """Measure one run and write its record, which is returned.

    identity: the plan's JSON string. environment: the marker that the
    environment's deployment wrote. folders: places with ``models/`` or
    ``frameworks/`` beside our own. monitor_interpreter: one that can sample the
    machine meanwhile, None to leave it alone.
    """
    cell = json.loads(identity)
    check_environment(cell, environment)
    file = RecordFile(record_path)
    try:
        file.reserve()
        log.parent.mkdir(parents=True, exist_ok=True)
        record = skeleton(identity, cell, environment)
        record["not_tried"] = too_large(cell, record["machine"], memory_limit_mib)
        if record["not_tried"]:
            record["status"], record["reason"] = ending.of_record(record)
        else:
            limits = (time_limit_s, memory_limit_mib)
            attempt = partial(
                _monitored, record, cell, environment, log, limits, folders, monitor_interpreter
            )
            record = attempt()
            if record["status"] == "invalid":
                # A compilation fell into the window, perhaps by a rare chance: once more.
                record = {**attempt(), "restarted": record["reason"]}
        file.write(record)
    except OSError as error:
        raise Refused(f"{record_path}: cannot write the record: {error.strerror}") from error
    finally:
        file.discard()
    return record


def machine_card(wanted: dict) -> dict:
    """What a record says of the machine and the one GPU of a run."""
    try:
        return machine.card(wanted["accelerator"], wanted["device"])
    except device.NoSuchDevice as problem:
        raise Refused(str(problem)) from None


def visible_device(wanted: dict) -> str | None:
    """The GPU as a run's process and its monitor see it; None on the processors."""
    if wanted["accelerator"] != "cuda":
        return None
    try:
        return device.word(device.chosen(wanted["device"]), wanted["device"])
    except device.NoSuchDevice as problem:
        raise Refused(str(problem)) from None


def check_environment(cell: dict, environment: dict) -> None:
    """Stop before anything is measured in an environment that was not planned."""
    name = environment["name"]
    if environment["definition_sha256"] != cell["environment"]:
        raise Refused(
            f"environment {name}: deployed from another definition than the one planned; "
            "run snakemake again so that it is deployed anew"
        )
    prefix = conda_prefix(environment)
    if environment["method"] == "conda" and Path(sys.prefix).resolve() != prefix.resolve():
        raise Refused(
            f"environment {name}: deployed by conda in {prefix}, but this job runs "
            f"in {sys.prefix}; give snakemake the same --use-conda as before"
        )


def conda_prefix(environment: dict) -> Path:
    """Of an environment that conda deployed, or of the one that lies beneath it."""
    return Path(environment.get("beneath", environment["prefix"]))


def check_packages(environment: dict, found: dict) -> None:
    """Stop when a deployed environment no longer holds what it was deployed with."""
    if environment["method"] == "interpreter":
        return  # the user's own; what it holds is recorded
    planned, present = environment["packages"], found["packages"]
    changed = [n for n in sorted({*planned, *present}) if planned.get(n) != present.get(n)]
    if changed:
        name = changed[0]
        raise Refused(
            f"environment {environment['name']}: {name} is {present.get(name, 'absent')}, deployed "
            f"was {planned.get(name, 'none')} ({len(changed)} packages differ); remove "
            f"{environment['prefix']} and run snakemake again"
        )


def too_large(cell: dict, machine_card: dict, memory_limit_mib: float) -> dict | None:
    """The record's ``not_tried`` of a cell that cannot fit, None if it may.

    Weights, gradients and optimiser state are a lower bound: a cell that is held
    back for them would surely have failed, after minutes.
    """
    needed = cell["least_memory_mib"]
    if cell["accelerator"] == "cuda" and machine_card["accelerator_memory_mib"]:
        available, of = machine_card["accelerator_memory_mib"], "gpu"
    else:
        available, of = memory_limit_mib, "host"
    if needed <= available:
        return None
    return {"needed_mib": needed, "available_mib": available, "memory_of": of}


def _monitored(empty, cell, environment, log, limits, folders, monitor_interpreter):
    """The record of one measuring process, with what the machine did beside it."""
    record = copy.deepcopy(empty)
    interval_s = PROTOCOLS[cell["scale"]].monitor_s
    pinned = record["threads"]["affinity"]
    gpu = visible_device(cell)
    with Monitor(monitor_interpreter, pinned, gpu, interval_s, cell["variables"]) as monitor:
        window = _measure(record, cell, environment, log, *limits, folders)
    record["monitor"] = samples.summary(monitor.samples, window, interval_s)
    record["energy"] = samples.energy(monitor.samples, window, _steps(record["timing"]))
    record["ending"]["device_free_mib"] = samples.last_free_mib(monitor.samples)
    record["status"], record["reason"] = ending.of_record(record)
    if record["status"] != "ok":
        record["log_tail"] = logs.tail(log)
    return record


def _measure(record, cell, environment, log, time_limit_s, memory_limit_mib, folders):
    """Fill in the record with what one measuring process said and how it ended.

    Returns the borders of the timed steps on the clock of all processes, None if
    it did not come that far.
    """
    task = {
        "scale": cell["scale"],
        "cell": {name: cell[name] for name in CHILD_FIELDS}
        | {name: cell[name] for name in SETTINGS if name in cell},
        "parameters": cell["parameters"],
        "trains": cell["trains"],
        "probes": cell["probes"],
        "affinity": record["threads"]["affinity"],
        "folders": list(folders),
    }
    swapped = machine.swapped_mib()
    record["load"]["before"] = machine.load_average()
    record["started_at"], start = now(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        environ = variables.of_process(cell, Path(scratch), visible_device(cell) or "")
        child = Watched(environment["interpreter"], task, environ, log)
        child.wait(
            time_limit_s,
            memory_limit_mib,
            lambda found: check_packages(environment, found),
        )
        record["total_s"] = time.monotonic() - start
    record["finished_at"] = now()
    seen = child.ending()
    record["ending"] = dataclasses.asdict(seen)
    record["probes"] = child.said("probes", "probes") or []
    status, reason = ending.of_process(seen)
    if seen.measured and status != "ok":
        # What ended the process after that ended a probe, and the probes that were to follow.
        missing = cell["probes"][len(record["probes"]) :]
        record["probes"] += [_failed_probe(cell, wanted, reason) for wanted in missing]
    record["timing"] = _timing(child.said("timing", "timing"), record["total_s"])
    for name in ("python", "packages"):  # as found by the run, where it came that far
        record["environment"][name] = child.said("packages", name) or environment[name]
    record["load"]["after"] = machine.load_average()
    record["load"]["foreign_cpu_share"] = child.said("foreign", "share")
    record["load"]["swapped_mib"] = _difference(swapped, machine.swapped_mib())
    record["work"] = child.said("work", "work")
    # As the run says it of its own measurement, before probes; else of all that it came to.
    record["memory"]["peak_rss_mib"] = child.said("memory", "peak_rss_mib") or child.peak_rss_mib
    for name in ("peak_device_mib", "peak_device_counts"):
        record["memory"][name] = child.said("memory", name)
    record["memory"]["device_limit_mib"] = child.said("limit", "device_limit_mib")
    record["host_overhead"] = child.said("host_overhead", "host_overhead")
    record["parity"] = child.said("parity", "parity")
    record["warnings"] = child.said("warnings", "warnings") or []
    record["printed"] = logs.printed(log, child.measured_log_bytes)
    return child.said("window", "ns")


def skeleton(identity: str, cell: dict, environment: dict) -> dict:
    """A record that says where and what, and has measured nothing yet."""
    return {
        "schema": SCHEMA,
        "identity": identity,
        "cell": {name: cell[name] for name in CELL_FIELDS},
        "status": "killed",
        "reason": ending.WHOLE_JOB_KILLED,
        "ending": None,
        "not_tried": None,
        "started_at": now(),
        "finished_at": now(),
        "total_s": 0.0,
        "environment": {
            name: environment[name]
            for name in ("name", "method", "definition_sha256", "python", "packages")
        }
        | {"variables": cell["variables"]},
        "threads": {
            "policy": THREAD_POLICY,
            "requested": cell["threads"],
            "affinity": processors.pinned(cell["threads"]),
        },
        "machine": machine_card(cell),
        "load": {"before": None, "after": None, "foreign_cpu_share": None, "swapped_mib": None},
        "monitor": None,
        "timing": None,
        "probes": [],
        "work": None,
        "memory": {
            "peak_rss_mib": None,
            "peak_device_mib": None,
            "peak_device_counts": None,
            "device_limit_mib": None,
        },
        "energy": None,
        "host_overhead": None,
        "restarted": None,
        "parity": None,
        "warnings": [],
        "printed": [],
        "log_tail": [],
    }


def _failed_probe(cell: dict, wanted: dict, reason: str) -> dict:
    return {
        "batch_size": wanted.get("batch_size", cell["batch_size"]),
        "max_length": wanted.get("max_length"),
        "new_tokens": None,
        "steps": 0,
        "elapsed_ns": 0,
        "failed": reason,
    }


def _timing(timing: dict | None, total_s: float) -> dict | None:
    """The child's timing, and the seconds that it does not account for."""
    if timing is None:
        return None
    parts = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s")
    return {**timing, "other_s": max(0.0, total_s - sum(timing[name] for name in parts))}


def _steps(timing: dict | None) -> int:
    return sum(block["steps"] for block in timing["blocks"]) if timing else 0


def _difference(before, after):
    return None if before is None or after is None else after - before
