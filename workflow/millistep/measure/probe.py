"""Measures the same step at another batch size or length, in the same process."""

import dataclasses
import traceback
from typing import Any

from millistep.measure.conformance import check_end
from millistep.measure.frameworks import Framework
from millistep.measure.models import Work
from millistep.measure.process import MAX_MESSAGE
from millistep.measure.protocol import Protocol
from millistep.measure.timer import Timer


def probe(
    framework: Framework, protocol: Protocol, work: Work, planned: dict[str, Any]
) -> dict[str, Any]:
    """Measure a step at another batch size or length; a failure is a finding of its own."""
    cell = framework.cell
    changed = {**cell.architecture, **{k: v for k, v in planned.items() if k != "batch_size"}}
    batch_size = planned.get("batch_size", cell.batch_size)
    amount = work.per_step(cell.task, changed, batch_size)
    batches = getattr(framework, "batches_per_tick", 1)
    short = _short(protocol, planned)
    timer = Timer(short, framework.fence, framework.compilations, batches=batches)
    failed = None
    try:
        framework.cell = dataclasses.replace(cell, architecture=changed)
        framework.run_at(batch_size, timer)
        check_end(timer)
    except Exception as error:
        failed = {"type": type(error).__name__, "message": str(error)[:MAX_MESSAGE]}
        traceback.print_exc()
    finally:
        framework.cell = cell
    generates = cell.task == "generate"
    return {
        "batch_size": batch_size,
        "max_length": changed.get("max_length") if generates else None,
        "new_tokens": amount["tokens_per_step"] if generates else None,
        "steps": 0 if failed else timer.steps,
        "elapsed_ns": 0 if failed else timer.elapsed_ns,
        "windows": [] if failed else timer.recorded,
        "failed": failed,
    }


def _short(protocol: Protocol, planned: dict[str, Any]) -> Protocol:
    """Return the protocol of a probe; a probe at another length has more windows."""
    length = "max_length" in planned
    return dataclasses.replace(
        protocol,
        windows=protocol.length_windows if length else protocol.probe_windows,
        warmup_steps=1,
        synchronized_steps=0,
    )
