"""Supervise a measuring process; give that of a run its turns, and make its record.

Whatever happens to the child becomes a status with a reason.
"""

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.protocol import PROTOCOLS
from millistep.supervise import caches, ending, machine, output, processors, samples, variables
from millistep.supervise.monitor import Monitor
from millistep.supervise.preconditions import too_large, visible_device
from millistep.supervise.record import now, skeleton
from millistep.supervise.turns import Member
from millistep.supervise.watch import Job, Watched

CHILD = "millistep.measure.child"
CELL_FIELDS = tuple(field.name for field in dataclasses.fields(Cell))


def cell(identity: dict[str, Any]) -> dict[str, Any]:
    """Return a run's cell; an identity has only the settings that its framework takes."""
    found = {name: identity[name] for name in CELL_FIELDS if name in identity}
    return {**found, "model": identity.get("builders", identity["model"])}  # whose builders it has


@contextlib.contextmanager
def supervised(
    program: str, request: dict[str, Any], job: Job, kept: caches.Kept | None = None
) -> Iterator[Watched]:
    """Start a measuring process; nothing of it survives the context. Raises :class:`Refused`.

    request: in addition to the parts of the job's identity that all programs read.
    """
    identity = job.identity
    common = {name: identity[name] for name in ("accelerator", "library", "seed", "threads")}
    common["affinity"] = processors.pinned(identity["threads"])
    job.log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="millistep-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        if kept:
            kept.lend(scratch)
        environ = variables.of_process(identity, scratch, visible_device(identity) or "")
        child = Watched(program, {**common, **request}, job, environ)
        with contextlib.closing(child):
            yield child
        if kept and (child.reported("timing", "timing") or {}).get("compile_cache") == "cold":
            kept.keep(scratch)


def run(job: Job, member: Member) -> dict[str, Any]:
    """Measure a run; return its record without a session. Raises :class:`Refused`, OSError."""
    record = skeleton(job.identity_text, job.environment)
    record["not_tried"] = too_large(job.identity, record["machine"], job.memory_limit_mib)
    if not record["not_tried"]:
        _measure(job, record, member)
    record["status"], record["reason"] = ending.of_record(record)
    if record["status"] != "ok" and job.log.exists():
        record["log_tail"] = output.tail(job.log)
    return record


def _measure(job: Job, record: dict[str, Any], member: Member) -> None:
    identity, swapped = job.identity, machine.swapped_mib()
    names = ("scale", "parameters", "trains", "extras", "probes")
    request = {name: identity[name] for name in names} | {
        "cell": cell(identity),
        "folders": list(job.folders),
        "cpu_stats": machine.cpu_stats(),
        "windows": identity.get("windows"),
    }
    # Inductor compiles for the processor that it finds, and a cluster's nodes share the results.
    same = {**identity, "machine": record["machine"]["id"]}
    kept = caches.Kept(job.caches, same) if job.caches else None
    interval_s = PROTOCOLS[identity["scale"]].monitor_s
    record["load"]["before"] = machine.load_average()
    record["started_at"] = now()
    with contextlib.ExitStack() as stack:
        monitor = Monitor(record["threads"]["affinity"], visible_device(identity), interval_s)
        # Start times are measured alone; libraries of a GPU choose kernels by timing them.
        only = bool(identity["extras"]) or identity["accelerator"] == "cuda"
        with member.preparing(only) as alone:
            stack.enter_context(monitor)
            child = stack.enter_context(supervised(CHILD, request, job, kept))
            child.until_turn()
        if not child.over:
            for _ in member.turns(
                child.pid, lambda: child.over or not child.reported("turn", "left")
            ):
                child.turn()
        if not child.over:
            with member.computing():
                child.go(0)
                child.until("done")
                stack.close()  # its end copies caches, while nothing else computes
    record["total_s"], record["finished_at"] = child.used_s, now()
    _take(job, record, child)
    if timing := record["timing"]:
        parts = ("import_s", "build_s", "first_step_s", "warmup_s", "timed_s")
        timing["other_s"] = max(0.0, record["total_s"] - sum(timing[name] for name in parts))
        timing["in_turns"], timing["start_alone"] = member.in_turns, alone
        spans = [(w["start_ns"], w["start_ns"] + w["elapsed_ns"]) for w in timing["windows"]]
        timing["outside_turns"] = sum(  # windows in no turn: another clock timed them
            not any(a <= start and end <= b for a, b in child.turns_ns) for start, end in spans
        )
    record["load"]["swapped_mib"] = machine.swapped_mib() - swapped
    window: samples.Window = child.reported("window", "ns")
    record["monitor"] = samples.summary(monitor.samples, window, interval_s)
    if member.in_turns == 1:  # else others use energy within the window, too
        steps = child.reported("window", "steps")
        record["energy"] = samples.energy(monitor.samples, window, steps)
    record["ending"]["device_free_mib"] = samples.last_free_mib(monitor.samples)


def _take(job: Job, record: dict[str, Any], child: Watched) -> None:
    seen = child.ending()
    record["ending"] = dataclasses.asdict(seen)
    record["probes"] = _probes(job.identity, child, seen)
    for name in ("python", "packages"):  # as the run found them, if it came that far
        record["environment"][name] = child.reported("packages", name) or job.environment[name]
    record["load"] |= {
        "after": machine.load_average(),
        "foreign_cpu_share": child.reported("foreign", "share"),
        **child.events.get("kernel", {}),
        **child.events.get("quota", {}),
    }
    record["memory"] |= {
        "peak_rss_mib": child.peak_rss_mib,  # without the run's own report from before the probes
        "allocated_bytes_per_step": child.reported("allocated", "bytes_per_step"),
        **child.events.get("limit", {}),
        **child.events.get("memory", {}),
    }
    for name in ("timing", "work", "host_overhead", "calls", "outcome", "parity"):
        record[name] = child.reported(name, name)
    record["warnings"] = child.reported("warnings", "warnings") or []


def _probes(identity: dict[str, Any], child: Watched, seen: ending.Ending) -> list[dict[str, Any]]:
    """Return the probes; the missing ones as failed if the process died after measuring."""
    done: list[dict[str, Any]] = child.reported("probes", "probes") or []
    if not child.reported("measured", "probeable") or ending.of_process(seen)[0] == "ok":
        return done
    ended = {"type": "ProcessEnded", "message": ""}  # the run's ending has the reason
    lost = {"batch_size": identity["batch_size"], "max_length": None, "new_tokens": None}
    lost |= {"steps": 0, "elapsed_ns": 0, "failed": ended}
    missing = identity["probes"][len(done) :]
    return done + [{name: each.get(name, lost[name]) for name in lost} for each in missing]
